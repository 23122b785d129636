// RPC methods of a node over the in-memory ledger, as far as payments need them.
import { createHash } from 'node:crypto';
import { type Address, getBase58Decoder } from '@solana/kit';
import type { Commitment } from '../../rpc/solana-node.ts';
import { type LiteLedger, type LiteRecord, MAX_AGE, type TokenBalance } from './lite-ledger.ts';

type Params = readonly unknown[];
export type Methods = Readonly<Record<string, (params: Params) => unknown>>;

export class LiteRefusal extends Error {
  readonly code: bigint;
  readonly data: unknown;
  constructor(code: bigint, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The most signatures in one answer. */
const MOST_SIGNATURES = 1_000n;

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

const RANKS = { processed: 0, confirmed: 1, finalized: 2 } as const satisfies Record<Commitment, number>;

export function methodsOf(ledger: LiteLedger): Methods {
  const inContext = (value: unknown) => ({ context: { slot: ledger.slotAt('processed') }, value });
  const commitmentIn = (config: unknown): Commitment =>
    (config as { readonly commitment?: Commitment } | undefined)?.commitment ?? 'finalized';
  return {
    getHealth: () => 'ok',
    getGenesisHash: () => getBase58Decoder().decode(createHash('sha256').update('lite').digest()),
    getFirstAvailableBlock: () => 0n,
    getSlot: ([config]) => ledger.slotAt(commitmentIn(config)),
    getBlockHeight: ([config]) => ledger.slotAt(commitmentIn(config)),
    getLatestBlockhash: () =>
      inContext({ blockhash: ledger.blockhash, lastValidBlockHeight: ledger.slotAt('processed') + MAX_AGE }),
    isBlockhashValid: ([blockhash]) => inContext(ledger.isLive(String(blockhash))),
    getBalance: ([account]) => inContext(ledger.account(String(account))?.lamports ?? 0n),
    getAccountInfo: ([account]) => inContext(accountJson(ledger, String(account))),
    getMultipleAccounts: ([accounts]) =>
      inContext((accounts as readonly string[]).map((account) => accountJson(ledger, account))),
    simulateTransaction: ([wire, config]) => {
      const { sigVerify = false } = (config ?? {}) as { readonly sigVerify?: boolean };
      return inContext(simulate(ledger, bytes(wire), sigVerify));
    },
    sendTransaction: ([wire, config]) => {
      const skip = (config as { readonly skipPreflight?: boolean } | undefined)?.skipPreflight === true;
      const played = skip ? { err: null } : simulate(ledger, bytes(wire), true);
      if (played.err !== null) throw new LiteRefusal(-32_002n, 'Transaction simulation failed', played);
      return ledger.execute(bytes(wire));
    },
    getSignatureStatuses: ([ids]) => {
      // One malformed id makes a node refuse the whole request.
      if (!(ids as readonly string[]).every((id) => SIGNATURE.test(id)))
        throw new LiteRefusal(-32_602n, 'Invalid param: WrongSize', null);
      return inContext((ids as readonly string[]).map((id) => statusJson(ledger, id)));
    },
    getSignaturesForAddress: ([account, config]) => {
      const {
        before,
        until,
        limit = MOST_SIGNATURES,
      } = (config ?? {}) as {
        readonly before?: string;
        readonly until?: string;
        readonly limit?: bigint;
      };
      const deepEnough = (record: LiteRecord) => RANKS[ledger.commitmentOf(record)] >= RANKS[commitmentIn(config)];
      const known = ledger.recordsOf(String(account)).filter(deepEnough);
      const end = known.findIndex(({ transactionId }) => transactionId === until);
      const all = end < 0 ? known : known.slice(0, end);
      const from = before === undefined ? 0 : all.findIndex(({ transactionId }) => transactionId === before) + 1;
      return all.slice(from, from + Number(limit)).map(({ transactionId, slot, error }) => ({
        signature: transactionId,
        slot,
        err: error,
      }));
    },
    lite_airdrop: ([owner, lamports]) => ledger.fund(String(owner), lamports as bigint) ?? null,
    lite_setAccount: ([at, account]) => {
      const { owner, data, lamports } = account as { owner: Address; data: string; lamports: bigint };
      ledger.setAccount(String(at), { owner, data: bytes(data), lamports });
      return null;
    },
    lite_advance: ([slots]) => ledger.advance(slots as bigint) ?? null,
    getTransaction: ([id, config]) => {
      const record = ledger.find(String(id));
      if (record === undefined) return null;
      const deepEnough = RANKS[ledger.commitmentOf(record)] >= RANKS[commitmentIn(config)];
      if (!deepEnough) return null;
      const { encoding } = (config ?? {}) as { readonly encoding?: string };
      return encoding === 'base64' ? wireJson(record) : transactionJson(record);
    },
  };
}

const bytes = (wire: unknown) => Uint8Array.from(Buffer.from(String(wire), 'base64'));

function simulate(ledger: LiteLedger, wire: Uint8Array, sigVerify: boolean) {
  const { error, units, logs } = ledger.simulate(wire, sigVerify);
  if (error === 'SignatureFailure') {
    throw new LiteRefusal(-32_003n, 'Transaction signature verification failure', null);
  }
  return { err: error, logs, unitsConsumed: units };
}

function accountJson(ledger: LiteLedger, at: string) {
  const account = ledger.account(at);
  if (account === null) return null;
  const { owner, data, lamports } = account;
  const space = BigInt(data.length);
  const rentEpoch = 2n ** 64n - 1n;
  const base64 = [Buffer.from(data).toString('base64'), 'base64'];
  return { owner, lamports, space, executable: false, rentEpoch, data: base64 };
}

function statusJson(ledger: LiteLedger, id: string) {
  const record = ledger.find(id);
  if (record === undefined) return null;
  return { slot: record.slot, err: record.error, confirmationStatus: ledger.commitmentOf(record) };
}

function wireJson({ slot, wire }: LiteRecord) {
  return { slot, blockTime: null, transaction: [Buffer.from(wire).toString('base64'), 'base64'] };
}

function transactionJson({ slot, error, accounts, signatures, blockTimeSeconds, before, after }: LiteRecord) {
  const balances = (tokens: readonly TokenBalance[]) =>
    tokens.map(({ accountIndex, mint, owner, amountAtomic }) => ({
      accountIndex,
      mint,
      owner,
      uiTokenAmount: { amount: amountAtomic.toString() },
    }));
  return {
    slot,
    blockTime: blockTimeSeconds,
    transaction: { signatures, message: { accountKeys: accounts } },
    meta: {
      err: error,
      preBalances: before.lamports,
      postBalances: after.lamports,
      preTokenBalances: balances(before.tokens),
      postTokenBalances: balances(after.tokens),
    },
  };
}

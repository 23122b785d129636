// What a Solana chain says happened, by JSON-RPC alone: every transaction that a relayer paid for with what it moved, and who
// holds what.
import { base58 } from './base58.ts';

export type Landed = {
  readonly id: string;
  readonly slot: number;
  readonly succeeded: boolean;
  /** Lamports that the relayer is poorer by. */
  readonly cost: bigint;
  /** By token account. */
  readonly deltas: ReadonlyMap<string, bigint>;
};

type Holding = { readonly mint: string; readonly owner: string; readonly amount: bigint };

export type SolanaEvidence = {
  readonly landed: readonly Landed[];
  /** Other transactions that were asked for, by whomever. */
  readonly others: readonly Landed[];
  readonly relayerLamports: ReadonlyMap<string, bigint>;
  readonly holdingAt: ReadonlyMap<string, Holding>;
};

type TokenBalance = { readonly accountIndex: number; readonly uiTokenAmount: { readonly amount: string } };
type RawTransaction = {
  readonly slot: number;
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
  readonly meta: {
    readonly err: unknown;
    readonly preBalances: readonly number[];
    readonly postBalances: readonly number[];
    readonly preTokenBalances: readonly TokenBalance[];
    readonly postTokenBalances: readonly TokenBalance[];
  };
};
type RawAccount = { readonly value: { readonly lamports: number; readonly data: readonly [string] } | null };

const PAGE = 1_000;

export async function readSolana(
  rpcUrl: string,
  relayers: readonly string[],
  accounts: readonly string[],
  otherIds: readonly string[],
): Promise<SolanaEvidence> {
  const ask = async <Result>(method: string, ...params: readonly unknown[]): Promise<Result> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = (await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()) as { result?: Result };
    if (answer.result === undefined) throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer.result;
  };
  const landed: Landed[] = [];
  const relayerLamports = new Map<string, bigint>();
  for (const relayer of relayers) {
    for (let before: string | undefined; ; ) {
      const page = await ask<readonly { signature: string }[]>('getSignaturesForAddress', relayer, {
        limit: PAGE,
        commitment: 'confirmed',
        ...(before !== undefined && { before }),
      });
      for (const { signature } of page) {
        landed.push(landedOf(signature, await ask<RawTransaction>('getTransaction', signature, CONFIG)));
      }
      before = page.at(-1)?.signature;
      if (page.length < PAGE) break;
    }
    const { value } = await ask<RawAccount>('getAccountInfo', relayer, CONFIG);
    relayerLamports.set(relayer, BigInt(value?.lamports ?? 0));
  }
  const holdingAt = new Map<string, Holding>();
  for (const account of accounts) {
    const { value } = await ask<RawAccount>('getAccountInfo', account, { ...CONFIG, encoding: 'base64' });
    const data = Buffer.from(value?.data[0] ?? '', 'base64');
    if (data.length < 72) continue;
    holdingAt.set(account, {
      mint: base58(data.subarray(0, 32)),
      owner: base58(data.subarray(32, 64)),
      amount: data.readBigUInt64LE(64),
    });
  }
  const others: Landed[] = [];
  for (const id of otherIds) {
    const found = await ask<RawTransaction | null>('getTransaction', id, CONFIG);
    if (found !== null) others.push(landedOf(id, found));
  }
  return { landed, others, relayerLamports, holdingAt };
}

const CONFIG = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;

function landedOf(id: string, { slot, transaction, meta }: RawTransaction): Landed {
  const deltas = new Map<string, bigint>();
  const add = (balances: readonly TokenBalance[], sign: bigint) => {
    for (const { accountIndex, uiTokenAmount } of balances) {
      const account = transaction.message.accountKeys[accountIndex] ?? '';
      deltas.set(account, (deltas.get(account) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
    }
  };
  add(meta.preTokenBalances, -1n);
  add(meta.postTokenBalances, 1n);
  for (const [account, delta] of deltas) if (delta === 0n) deltas.delete(account);
  const cost = BigInt(meta.preBalances[0] ?? 0) - BigInt(meta.postBalances[0] ?? 0);
  return { id, slot, succeeded: meta.err === null, cost, deltas };
}

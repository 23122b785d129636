// An in-memory chain without its own clock: LiteSVM runs the transactions; this ledger has the slots, the live
// blockhashes and the outcome of each transaction. It advances only when told to.
import {
  type Address,
  address,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  lamports,
  type Transaction,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import type { Commitment } from '../../rpc/solana-node.ts';
import { readTokenAccount } from '../../transfer/token-account-data.ts';
import { errorIn } from './lite-error.ts';

/** A blockhash is valid for this many blocks. */
export const MAX_AGE = 150n;
const DEPTHS = { processed: 0n, confirmed: 1n, finalized: 32n } as const satisfies Record<Commitment, bigint>;

export type TokenBalance = {
  readonly accountIndex: bigint;
  readonly mint: string;
  readonly owner: string;
  readonly amountAtomic: bigint;
};
/** `lamports` by index in the transaction's accounts. */
export type Balances = { readonly lamports: readonly bigint[]; readonly tokens: readonly TokenBalance[] };

export type LiteRecord = {
  readonly transactionId: string;
  readonly wire: Uint8Array;
  readonly slot: bigint;
  readonly error: unknown;
  /** The clock of whoever runs the chain. */
  readonly blockTimeSeconds: bigint;
  readonly signatures: readonly string[];
  readonly accounts: readonly Address[];
  readonly before: Balances;
  readonly after: Balances;
};

export type LiteAccount = { readonly owner: Address; readonly data: Uint8Array; readonly lamports: bigint };

export class LiteLedger {
  readonly #svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(1_000_000n);
  readonly #heights = new Map<string, bigint>();
  readonly #records = new Map<string, LiteRecord>();
  readonly #messages = new Set<string>();
  /** Every slot has a block, so height and slot are the same number. */
  #slot = 1n;

  constructor() {
    this.#svm.warpToSlot(this.#slot);
    this.#heights.set(this.blockhash, this.#slot);
  }

  get blockhash(): string {
    return this.#svm.latestBlockhash();
  }

  slotAt(commitment: Commitment): bigint {
    const depth = DEPTHS[commitment];
    return this.#slot > depth ? this.#slot - depth : 0n;
  }

  advance(slots: bigint): void {
    for (let passed = 0n; passed < slots; passed += 1n) {
      this.#slot += 1n;
      this.#svm.expireBlockhash();
      this.#svm.warpToSlot(this.#slot);
      this.#heights.set(this.blockhash, this.#slot);
    }
    for (const [blockhash, height] of this.#heights) {
      if (this.#slot - height > MAX_AGE) this.#heights.delete(blockhash);
    }
  }

  isLive(blockhash: string): boolean {
    return this.#heights.has(blockhash);
  }

  commitmentOf({ slot }: LiteRecord): Commitment {
    const depth = this.#slot - slot;
    if (depth >= DEPTHS.finalized) return 'finalized';
    return depth >= DEPTHS.confirmed ? 'confirmed' : 'processed';
  }

  find(transactionId: string): LiteRecord | undefined {
    return this.#records.get(transactionId);
  }

  /** Transactions that name the account, newest first. */
  recordsOf(account: string): readonly LiteRecord[] {
    return [...this.#records.values()].filter(({ accounts }) => accounts.some((one) => one === account)).toReversed();
  }

  account(at: string): LiteAccount | null {
    const account = this.#svm.getAccount(address(at));
    if (!account.exists) return null;
    return { owner: account.programAddress, data: Uint8Array.from(account.data), lamports: account.lamports };
  }

  setAccount(at: string, { owner, data, lamports: held }: LiteAccount): void {
    this.#svm.setAccount({
      address: address(at),
      programAddress: owner,
      data,
      lamports: lamports(held),
      executable: false,
      space: BigInt(data.length),
    });
  }

  addProgram(at: string, bytes: Uint8Array): void {
    this.#svm.addProgram(address(at), bytes);
  }

  get unixSeconds(): bigint {
    return this.#svm.getClock().unixTimestamp;
  }

  set unixSeconds(seconds: bigint) {
    const clock = this.#svm.getClock();
    clock.unixTimestamp = seconds;
    this.#svm.setClock(clock);
  }

  fund(owner: string, amount: bigint): void {
    this.#svm.airdrop(address(owner), lamports(amount));
  }

  simulate(
    wire: Uint8Array,
    sigVerify: boolean,
  ): { readonly error: unknown; readonly units: bigint; readonly logs: readonly string[] } {
    const { transaction, message } = read(wire);
    const late = this.#tooLate(transaction, message.lifetimeToken);
    if (late !== undefined) return { error: late, units: 0n, logs: [] };
    this.#svm.withSigverify(sigVerify);
    const played = this.#svm.simulateTransaction(transaction);
    this.#svm.withSigverify(true);
    const failed = played instanceof FailedTransactionMetadata;
    const meta = played.meta();
    return { error: failed ? errorIn(played) : null, units: meta.computeUnitsConsumed(), logs: meta.logs() };
  }

  /** Like a leader: drops a transaction that cannot be charged for; charges for and records one that fails. */
  execute(wire: Uint8Array): string {
    const { transaction, message, transactionId } = read(wire);
    if (this.#tooLate(transaction, message.lifetimeToken) !== undefined) return transactionId;
    const accounts = message.staticAccounts;
    const before = this.#look(message);
    const played = this.#svm.sendTransaction(transaction);
    const error = played instanceof FailedTransactionMetadata ? errorIn(played) : null;
    if (typeof error === 'string') return transactionId;
    this.#messages.add(keyOf(transaction.messageBytes));
    this.#records.set(transactionId, {
      transactionId,
      wire,
      slot: this.#slot,
      error,
      blockTimeSeconds: BigInt(Math.floor(Date.now() / 1_000)),
      signatures: signaturesIn(transaction),
      accounts,
      before,
      after: this.#look(message),
    });
    return transactionId;
  }

  /** Like a node: identifies a transaction by its message, even if signatures are missing. */
  #tooLate({ messageBytes }: Transaction, blockhash: string): string | undefined {
    if (this.#messages.has(keyOf(messageBytes))) return 'AlreadyProcessed';
    return this.isLive(blockhash) ? undefined : 'BlockhashNotFound';
  }

  /** Reads writable accounts only; the others are reported as zero. */
  #look({ staticAccounts, header }: ReadWire['message']): Balances {
    const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
    const lastWritable = staticAccounts.length - numReadonlyNonSignerAccounts;
    const tokens: TokenBalance[] = [];
    const lamports = staticAccounts.map((at, index) => {
      const writableSigner = index < numSignerAccounts - numReadonlySignerAccounts;
      const writable = writableSigner || (index >= numSignerAccounts && index < lastWritable);
      const account = writable ? this.account(at) : null;
      const token = account && readTokenAccount(account);
      if (token) {
        const { mint, owner, amountAtomic } = token;
        tokens.push({ accountIndex: BigInt(index), mint, owner, amountAtomic });
      }
      return account?.lamports ?? 0n;
    });
    return { lamports, tokens };
  }
}

type ReadWire = {
  readonly transaction: Transaction;
  readonly message: {
    readonly staticAccounts: readonly Address[];
    readonly lifetimeToken: string;
    readonly header: {
      readonly numSignerAccounts: number;
      readonly numReadonlySignerAccounts: number;
      readonly numReadonlyNonSignerAccounts: number;
    };
  };
  readonly transactionId: string;
};

const signaturesIn = ({ signatures }: Transaction): readonly string[] =>
  Object.values(signatures).map((signature) => getBase58Decoder().decode(signature ?? new Uint8Array(64)));

const keyOf = (messageBytes: Transaction['messageBytes']) => Buffer.from(messageBytes).toString('base64');

function read(wire: Uint8Array): ReadWire {
  const transaction = getTransactionDecoder().decode(wire);
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  return {
    transaction,
    message,
    transactionId: getBase58Decoder().decode(wire.subarray(1, 65)),
  };
}

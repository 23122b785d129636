// Port of a restore to one chain. Calls throw when the chain can't be read: then nothing is concluded.
import type { PendingBatch } from '../lane/lane.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';
import type { Stranding } from '../stranded/book-stranding.ts';
import type { OnChainTransaction, ResolvedStranding } from './on-chain-transaction.ts';

export type BlockRange = { readonly fromBlock: bigint; readonly toBlock: bigint };

export type NamedPayout = { readonly processor: string; readonly payoutId: bigint };

/** A wallet that direct payments of a token go to. */
export type DirectWallet = { readonly wallet: string; readonly asset: string };

/** A transaction that settled, or tried to settle, a payment at a processor, or moved a token to a merchant's wallet. */
export type FoundTransaction = {
  readonly transactionId: string;
  readonly blockNumber: bigint;
  /** Intent codes that the transaction settled, by the processor's logs. */
  readonly intentCodes: readonly bigint[];
  /** Payouts that the transaction settled to. */
  readonly payouts: readonly NamedPayout[];
};

export type ChainFacts = {
  readonly headBlock: bigint;
  /** Number of mined transactions of each key. */
  readonly counts: ReadonlyMap<string, bigint>;
  /** Keys with transactions that are in the nodes' pool but in no block. */
  readonly waiting: readonly string[];
};

export type StrandingToFind = {
  readonly carried: ResolvedStranding['carried'];
  /** Time of the claim; undefined where it was lost: then it is later than `fromBlock`. */
  readonly sinceSeconds: bigint | undefined;
  readonly fromBlock: bigint;
  /** Block in which the transfer was settled or returned. */
  readonly toBlock: bigint;
};

export type RestoreChain = {
  /** Throws when the node belongs to another chain. */
  readonly readFacts: (keys: readonly string[]) => Promise<ChainFacts>;
  /** Transactions at the processors and to the wallets, whoever sent them, in pages and in chain order. */
  readonly findTransactions: (
    processors: readonly string[],
    wallets: readonly DirectWallet[],
    range: BlockRange,
  ) => AsyncIterable<readonly FoundTransaction[]>;
  /** In the order given. A call of a contract that is none of the processors is `other`, whatever it looks like. */
  readonly readTransactions: (
    transactionIds: readonly string[],
    processors: readonly string[],
  ) => Promise<readonly OnChainTransaction[]>;
  /**
   * The id of the transaction with this nonce; it may have left no log. Throws `ChainUnavailable` when the node has no
   * state of that time.
   */
  readonly findByNonce: (relayer: string, nonce: bigint, range: BlockRange) => Promise<string>;
  /** Number of transactions of `relayer` that are mined up to and including `block`. */
  readonly countAt: (relayer: string, block: bigint) => Promise<bigint>;
  /** Position of the transfer that brought the money of a stranded authorization; undefined where no log shows it. */
  readonly findStranding: (traced: StrandingToFind) => Promise<Stranding | undefined>;
  /** The batches that are mined, with the outcome of each payment. */
  readonly findMined: (batches: readonly PendingBatch[]) => Promise<readonly MinedBatch[]>;
};

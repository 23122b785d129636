// Port of the chain reader to the database. Logs are written in the same transaction that moves the cursor. Every call may
// be repeated, and two processes may read the same network at the same time.
import type { NetworkId } from '@svc-pay/protocol';
import type { MoneyLog } from './money-log.ts';
import type { BlockRef, ReaderSource } from './reader-chain.ts';

export type ReaderCursor = ReaderSource & {
  /** Every block up to this one is read. */
  readonly at: BlockRef;
};

export type OfferedSource = ReaderSource & {
  /** The first block that a recorded batch of the network names. Undefined for tokens, and once there is a cursor. */
  readonly firstBlock: bigint | undefined;
  /** When the first payout named the processor, in Unix seconds. Undefined as `firstBlock`. */
  readonly offeredAtSeconds: bigint | undefined;
};

export type BlockPass = {
  readonly network: NetworkId;
  readonly sources: readonly ReaderSource[];
  readonly from: BlockRef;
  readonly to: BlockRef;
  /** Own logs of blocks above `from`, up to `to`. */
  readonly logs: readonly MoneyLog[];
  readonly nowMs: number;
};

export type ReaderStore = {
  /** Every processor that a payout of the network ever named, and every token of a direct payout. */
  readonly loadSources: (network: NetworkId) => Promise<readonly OfferedSource[]>;
  readonly loadCursors: (network: NetworkId) => Promise<readonly ReaderCursor[]>;
  /** Creates cursors of new sources and remembers their blocks; leaves existing cursors and blocks as they are. */
  readonly startCursors: (network: NetworkId, cursors: readonly ReaderCursor[], nowMs: number) => Promise<void>;
  /**
   * The logs that concern this installation: of a processor all; of a token those whose authorization was claimed or
   * refused here, or whose nonce is a bound one of ours. In the order given.
   */
  readonly selectOwn: (network: NetworkId, logs: readonly MoneyLog[]) => Promise<readonly MoneyLog[]>;
  /**
   * One transaction: moves the cursors of these sources, writes the logs and remembers the block `to`, in place of
   * another of that number. A log that is there already is replaced; one that a lane has recorded from the same block counts as
   * read and is not written. False, and nothing is written, when a cursor is not at `from` (number and hash) or is missing.
   */
  readonly passBlocks: (pass: BlockPass) => Promise<boolean>;
  /** Writes logs of blocks that were passed without them. A log that is there already is replaced. */
  readonly keepLogs: (network: NetworkId, logs: readonly MoneyLog[], nowMs: number) => Promise<void>;
  /** Remembered blocks at or below `number`, newest first. */
  readonly loadPassedBlocks: (network: NetworkId, number: bigint, limit: number) => Promise<readonly BlockRef[]>;
  /**
   * One transaction: sets every cursor above `to` back to it, deletes logs and remembered blocks above it, and remembers
   * `to` in place of another block of that number. A log that was applied may be read and written again after it.
   */
  readonly rewind: (network: NetworkId, to: BlockRef, nowMs: number) => Promise<void>;
  /** Logs of blocks up to `throughBlock`, by block number and then log index, after that log. */
  readonly loadUnapplied: (
    network: NetworkId,
    throughBlock: bigint,
    after: MoneyLog | undefined,
    limit: number,
  ) => Promise<readonly MoneyLog[]>;
  /**
   * Since when each of these logs has waited to be applied, in Unix milliseconds: it is stored at the first call with the
   * log. Now for a log that is gone, or that another process has.
   */
  readonly noteWaiting: (network: NetworkId, logs: readonly MoneyLog[], nowMs: number) => Promise<readonly number[]>;
  /**
   * Deletes remembered blocks that are below the newest one at or below `number`, which is final. That one stays: a reorg
   * goes back to it at most.
   */
  readonly forgetBlocks: (network: NetworkId, number: bigint) => Promise<void>;
};

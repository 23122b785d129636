// What a lane asks of the database. Whoever drains a lane takes it over and gets an epoch; every write names that epoch
// and matches nothing once somebody else has taken over. The engine decides who runs, this decides who writes.
import type { FlyingBatch, Lane, LaneItem, SignedTransaction } from './lane.ts';
import type { ItemOutcome, MinedBatch } from './lane-chain.ts';

export type HeldLane = Lane & { readonly epoch: bigint };

/** Lanes of one network share its queue by number: this lane takes those with `number % count = index`. */
export type QueueShare = { readonly index: number; readonly count: number };

/**
 * What stops a lane until the chain and the database agree again. `nonce_behind`: nothing flies, and the chain expects an
 * earlier nonce than the lane would use. `nonce_gap`: the same beneath what flies.
 */
export type LaneObstacle = 'nonce_behind' | 'nonce_gap';

export type LaneState = {
  readonly nextNonce: bigint;
  /** A lane that is not open finishes what flies and takes nothing new. */
  readonly open: boolean;
  /** Absent while others take its part: it is closed, obstructed, out of coins, not allowed, or over its cap. */
  readonly share: QueueShare | undefined;
  readonly obstacle: LaneObstacle | null;
};

export type UnsentItem = { readonly item: LaneItem; readonly outcome: Exclude<ItemOutcome, 'settled'> };

export type BatchToStore = {
  readonly id: string;
  readonly nonce: bigint;
  readonly signed: SignedTransaction;
  readonly items: readonly LaneItem[];
};

/** A batch as it was sent, and as the chain has it. */
export type FoundBatch = { readonly batch: FlyingBatch; readonly mined: MinedBatch };

export type LaneStore = {
  /** Ends the authority of every earlier holder. */
  readonly takeOver: (lane: Lane) => Promise<bigint>;
  /** A sign of life; undefined when the lane was taken over. */
  readonly beat: (held: HeldLane) => Promise<LaneState | undefined>;
  /** Batches without a known end, in the order of their nonces. */
  readonly loadFlight: (lane: Lane) => Promise<readonly FlyingBatch[]>;
  /** How much waits, counted up to `limit`, and since when. */
  readonly peekQueue: (
    lane: Lane,
    share: QueueShare,
    limit: number,
  ) => Promise<{ readonly count: number; readonly oldestAtMs: number }>;
  /** The head of the queue, oldest first. */
  readonly loadQueue: (lane: Lane, share: QueueShare, limit: number) => Promise<readonly LaneItem[]>;
  /**
   * One transaction: the batches under nonces that follow each other, their bytes, the nonces used up, the items no longer
   * queued. False, with nothing written, when the lane was taken over, a nonce is gone, or an item is no longer queued.
   */
  readonly storeBatches: (held: HeldLane, batches: readonly BatchToStore[]) => Promise<boolean>;
  /** Another transaction of the same batch; false, with nothing written, when the lane was taken over or the batch ended. */
  readonly storeTransaction: (held: HeldLane, batchId: string, signed: SignedTransaction) => Promise<boolean>;
  readonly markBroadcast: (held: HeldLane, batchIds: readonly string[]) => Promise<void>;
  /**
   * One transaction: what settled becomes completed, with its entries and events; what did not waits for finality.
   * Recording the same batch again changes nothing. False when the lane was taken over.
   */
  readonly recordMined: (held: HeldLane, found: readonly FoundBatch[]) => Promise<boolean>;
  /** One transaction: items that never left end as failed, or are held where money may have moved. */
  readonly recordUnsent: (held: HeldLane, unsent: readonly UnsentItem[]) => Promise<boolean>;
  /**
   * One transaction: a batch that can never be mined is closed, and its items are queued again. False when the lane was
   * taken over.
   */
  readonly recordReplaced: (held: HeldLane, batchId: string) => Promise<boolean>;
  /** These stay queued and are left alone for a while, so that nobody behind them waits. */
  readonly defer: (held: HeldLane, items: readonly LaneItem[], untilMs: number) => Promise<void>;
  /** Nonces from `from` up to `to` were used by somebody else; nothing of this lane flies. */
  readonly advanceNonce: (held: HeldLane, from: bigint, to: bigint) => Promise<void>;
  readonly noteObstacle: (held: HeldLane, obstacle: LaneObstacle | null) => Promise<void>;
  /** The lane cannot send; whoever watches it finds out when it can again. */
  readonly noteUnfit: (held: HeldLane, condition: 'empty' | 'not_allowed') => Promise<void>;
  /** True when nothing waits and nothing flies, and the lane is marked asleep: who queues something wakes it. */
  readonly fallAsleep: (held: HeldLane) => Promise<boolean>;
};

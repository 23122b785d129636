// What a lane asks of the database. Whoever drains a lane takes it over and gets an epoch; every write names that epoch
// and matches nothing once somebody else has taken over. The engine decides who runs, this decides who writes.
import type { FlyingBatch, Lane, LaneItem, SignedTransaction } from './lane.ts';
import type { ItemOutcome, MinedBatch } from './lane-chain.ts';

export type HeldLane = Lane & { readonly epoch: bigint };

/** Lanes of one network share its queue by number: this lane takes those with `number % count = index`. */
export type QueueShare = { readonly index: number; readonly count: number };

export type LaneState = {
  readonly nextNonce: bigint;
  /** A lane that is not open finishes what flies and takes nothing new. */
  readonly open: boolean;
  readonly share: QueueShare;
};

export type UnsentItem = { readonly item: LaneItem; readonly outcome: Exclude<ItemOutcome, 'settled'> };

export type BatchToStore = {
  readonly id: string;
  readonly nonce: bigint;
  readonly signed: SignedTransaction;
  readonly items: readonly LaneItem[];
};

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
   * One transaction: the batch, its bytes, its nonce used up, its items no longer queued. False, with nothing written, when
   * the lane was taken over, the nonce is gone, or an item is no longer queued.
   */
  readonly storeBatch: (held: HeldLane, batch: BatchToStore) => Promise<boolean>;
  readonly markBroadcast: (held: HeldLane, batchIds: readonly string[]) => Promise<void>;
  /**
   * One transaction: what settled becomes completed, with its entries and events; what did not waits for finality.
   * Recording the same batch again changes nothing. False when the lane was taken over.
   */
  readonly recordMined: (held: HeldLane, batch: FlyingBatch, mined: MinedBatch) => Promise<boolean>;
  /** One transaction: items that never left end as failed, or are held where money may have moved. */
  readonly recordUnsent: (held: HeldLane, unsent: readonly UnsentItem[]) => Promise<boolean>;
  /** True when nothing waits and nothing flies, and the lane is marked asleep: who queues something wakes it. */
  readonly fallAsleep: (held: HeldLane) => Promise<boolean>;
};

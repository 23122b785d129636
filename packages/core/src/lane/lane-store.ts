// Port of a lane to the database. A process that drains a lane takes it over and gets an epoch; every write names that
// epoch and changes nothing after another process took over. The engine schedules lanes; this fence decides which
// process may write.
import type { SoloBudget } from '../budget/judge-wallet.ts';
import type { Lane, LaneItem, PendingBatch, SignedTransaction } from './lane.ts';
import type { ItemOutcome, MinedBatch } from './lane-chain.ts';
import type { LaneObstacle } from './obstacle.ts';
import type { SendAttempt } from './send-attempt.ts';
import type { SoloPart } from './solo-turns.ts';

export type LaneLease = Lane & { readonly epoch: bigint };

/**
 * Lanes of one network share its queue by number: a lane takes items with `number % count = index`. They share the solo
 * queue by payer.
 */
export type QueueShare = { readonly index: number; readonly count: number };

export type LaneState = {
  readonly nextNonce: bigint;
  /** A lane that is not open finishes its pending batches and takes no new payments. */
  readonly open: boolean;
  /** Absent while other lanes take this share: the lane is closed, obstructed, out of coins, not allowed, or capped. */
  readonly share: QueueShare | undefined;
  readonly obstacle: LaneObstacle | null;
};

export type UnsentItem = {
  readonly item: LaneItem;
  readonly outcome: Exclude<ItemOutcome, 'settled'> | 'gas_budget_spent';
};

export type BatchToStore = {
  readonly id: string;
  readonly nonce: bigint;
  readonly signed: SignedTransaction;
  readonly items: readonly LaneItem[];
  /** What the transaction may cost at worst, if gas budgets bind its payment. */
  readonly atRiskAtomic?: bigint | undefined;
};

/** A batch as sent, and as the chain has it. */
export type FoundBatch = { readonly batch: PendingBatch; readonly mined: MinedBatch };

/** Length of the common queue, counted up to the limit, and the time of its oldest item. */
export type QueuePeek = {
  readonly count: number;
  readonly oldestAtMs: number;
  /** Whether the solo queue has items: contract wallets, and payers whose transfer recently used up its gas. */
  readonly solo: boolean;
  /** Whether refunds wait that the lane may send. */
  readonly refunds: boolean;
};

export type LaneStore = {
  /** Returns the new epoch; every lease with an earlier epoch can no longer write. */
  readonly takeOver: (lane: Lane) => Promise<bigint>;
  /** Records a heartbeat; undefined when the lane was taken over. */
  readonly heartbeat: (lease: LaneLease) => Promise<LaneState | undefined>;
  /** Batches without a known result, in nonce order. */
  readonly loadPendingBatches: (lane: Lane) => Promise<readonly PendingBatch[]>;
  readonly peekQueue: (lane: Lane, share: QueueShare, limit: number) => Promise<QueuePeek>;
  /** The head of the common queue, oldest first. */
  readonly loadQueue: (lane: Lane, share: QueueShare, limit: number) => Promise<readonly LaneItem[]>;
  /**
   * Refunds that may be sent now, at most one for each account: that which is due first, and of several the oldest. Accounts
   * take turns. Those of `busyWallets` are left out where a contract has to verify the signature.
   */
  readonly loadRefundQueue: (
    lane: Lane,
    share: QueueShare,
    limit: number,
    busyWallets?: readonly string[],
  ) => Promise<readonly LaneItem[]>;
  /**
   * Payments of one part of the solo queue, at most one for each payer: accounts take turns, and payers take turns within
   * their account. A payer whose last transfer used up its gas waits longer after each such transfer.
   */
  readonly loadSoloQueue: (
    lane: Lane,
    share: QueueShare,
    part: SoloPart,
    limit: number,
  ) => Promise<readonly LaneItem[]>;
  /** Gas budgets of each payment of the solo queue, in their order. */
  readonly loadSoloBudgets: (lane: Lane, items: readonly LaneItem[]) => Promise<readonly SoloBudget[]>;
  /** Records that the payment's account and payer had their turn. Kept in this process only. */
  readonly noteSoloTurn: (lane: Lane, part: SoloPart, item: LaneItem) => void;
  /**
   * One transaction: stores batches under consecutive nonces with their bytes, uses up the nonces, and takes the items
   * off the queue. False, with nothing written, when the lane was taken over, a nonce is gone, or an item is no longer
   * queued. `boundSends`: as the gas budgets that bind the payment were read; false too if a lane has sent such a payment
   * since.
   */
  readonly storeBatches: (lease: LaneLease, batches: readonly BatchToStore[], boundSends?: bigint) => Promise<boolean>;
  /**
   * Adds a transaction to a batch; false, with nothing written, when the lane was taken over or the batch is closed.
   */
  readonly storeTransaction: (lease: LaneLease, batchId: string, signed: SignedTransaction) => Promise<boolean>;
  /**
   * One transaction: batches that a node may have are `broadcast`, and payments name the transaction that was sent, with
   * `payment.created` or `payment.updated`. Writes nothing after a take-over, and nothing of a batch that is closed.
   */
  readonly recordAttempts: (lease: LaneLease, attempts: readonly SendAttempt[]) => Promise<void>;
  /**
   * One transaction: the batches are in a block and wait for confirmations; their payments name the transaction and the
   * position of their log. False when the lane was taken over.
   */
  readonly recordSeen: (lease: LaneLease, found: readonly FoundBatch[]) => Promise<boolean>;
  /**
   * One transaction: settled payments become completed, with their entries and events. Unsettled payments wait for
   * finality; the payments of a reverted batch are queued again at once, and name no transaction. Recording the same batch again changes
   * nothing. False when the lane was taken over. A refund stays with a batch that moved its money, until a final block
   * decides it; else it is queued again, and waits longer each time.
   */
  readonly recordMined: (lease: LaneLease, found: readonly FoundBatch[]) => Promise<boolean>;
  /**
   * One transaction: payments that no batch carries become failed, or held where money may have moved. A refund stays
   * queued with why the chain refused it, and waits longer each time.
   */
  readonly recordUnsent: (lease: LaneLease, unsent: readonly UnsentItem[]) => Promise<boolean>;
  /**
   * One transaction: closes a batch that can never be mined; its items and its refund are queued again and name no transaction. False
   * after a take-over.
   */
  readonly recordReplaced: (lease: LaneLease, batchId: string) => Promise<boolean>;
  /** Deferred items stay queued and are skipped until `untilMs`, so that items behind them do not wait. */
  readonly defer: (lease: LaneLease, items: readonly LaneItem[], untilMs: number) => Promise<void>;
  /** Skips nonces from `from` up to `to`, used outside the lane. Requires that no batch of the lane is pending. */
  readonly advanceNonce: (lease: LaneLease, from: bigint, to: bigint) => Promise<void>;
  readonly noteObstacle: (lease: LaneLease, obstacle: LaneObstacle | null) => Promise<void>;
  /** Records that the lane cannot send; the health check finds out when it can again. */
  readonly noteUnfit: (lease: LaneLease, condition: 'empty' | 'not_allowed') => Promise<void>;
  /**
   * True when no item is queued and no batch is pending, and the lane is marked asleep: the next queued item wakes it.
   */
  readonly fallAsleep: (lease: LaneLease) => Promise<boolean>;
};

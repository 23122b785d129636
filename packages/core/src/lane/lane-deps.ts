import type { Clock } from '../clock.ts';
import type { LaneItem, PendingBatch } from './lane.ts';
import type { Broadcast, ExpiringChain, LaneChain, SequencedChain } from './lane-chain.ts';
import type { LaneState, LaneStore, QueueShare } from './lane-store.ts';

export type LanePace = {
  /** Limit of pending transactions of one lane. */
  readonly maxInFlight: number;
  /**
   * A partial batch waits at most gatherMs × (transactions in flight) to fill up, and less the fuller it is: see
   * `isRipe`. Only a sequenced lane gathers.
   */
  readonly gatherMs: number;
  /** Pause between two rounds. */
  readonly pollMs: number;
  /** The same bytes are broadcast again when no node reported them for this long. */
  readonly resendMs: number;
  /** Payments without a result name the transaction that was sent for them after this long; 0: at once. */
  readonly linkMs: number;
  /** A transaction of a sequenced lane that is not mined for this long gets a fee bump. */
  readonly bumpMs: number;
  /** A payment that no transaction can include now is deferred for this long. */
  readonly deferMs: number;
  /** Pause after a passing failure: the chain is out of reach, or refuses the whole transaction. */
  readonly troubleMs: number;
};

export type LaneDeps<Chain extends LaneChain = LaneChain> = {
  readonly store: LaneStore;
  readonly chain: Chain;
  readonly clock: Clock;
  readonly pace: LanePace;
  readonly log: (event: LaneLogEvent, details: object) => void;
};

export type SequencedLaneDeps = LaneDeps<SequencedChain>;
export type ExpiringLaneDeps = LaneDeps<ExpiringChain>;

/** Batches that are pending before a round sends. */
export type PendingBefore = {
  readonly pendingBatches: readonly PendingBatch[];
  /** How many of them are mined and being recorded: they wait for no block. */
  readonly recording: number;
  /** The pending batches that no node has mined yet. */
  readonly unmined: readonly PendingBatch[];
};

/** Input of the sending half of a sequenced lane's round. */
export type Sending = PendingBefore & { readonly state: LaneState; readonly share: QueueShare };

/** The parts of a round that depend on what orders the transactions of the chain. */
export type LaneStrategy = {
  /**
   * Acts on `unheard`, the `open` batches that no node reported for a while: gives up those that can never be mined,
   * and broadcasts the others again.
   */
  readonly offerAgain: (open: readonly PendingBatch[], unheard: readonly PendingBatch[]) => Promise<Offered>;
  /** Sends queued payments if the pending batches leave room. `empty` when there is nothing to send. */
  readonly sendQueued: (pending: PendingBefore) => Promise<RoundResult>;
};

export type Offered =
  | 'taken_over'
  | {
      /** Ids of batches that are no longer pending; their payments are queued again. */
      readonly givenUp: readonly string[];
      /** No new batch may be sent behind the open ones. */
      readonly stalled: boolean;
    };

/** Codes of the log catalogue, which has their levels and texts. The log adapter adds the lane to each line. */
export type LaneLogEvent =
  | 'batch_mined'
  | 'batch_replaced'
  | 'direct_payments_deferred'
  | 'fee_bump_unaffordable'
  | 'fee_bumped'
  | 'fee_not_bumped'
  | 'hourly_cap_reached'
  | 'lane_chain_unreachable'
  | 'lane_resumed'
  | 'lane_stopped'
  | 'nonces_used_elsewhere'
  | 'payment_over_budget'
  | 'queued_payments_unusable'
  | 'refund_over_budget'
  | 'refund_put_off'
  | 'relayer_cannot_pay'
  | 'simulation_refused'
  | 'simulation_unanswered'
  | 'transaction_broadcast'
  | 'transaction_broadcast_unsure';

/** `moved`: next round at once. `waiting`: batches are pending or payments gather. `blocked`: retry after a pause. */
export type RoundResult = 'moved' | 'waiting' | 'blocked' | 'empty' | 'taken_over';

export function noteBroadcast(
  log: LaneDeps['log'],
  batchId: string,
  transactionId: string,
  broadcast: Broadcast,
): void {
  const event = broadcast.outcome === 'known' ? 'transaction_broadcast' : 'transaction_broadcast_unsure';
  log(event, { batchId, transactionId, ...broadcast });
}

/** Each payout of the items once. */
export function payoutIdsOf(items: readonly LaneItem[]): readonly string[] {
  return [...new Set(items.map(({ payout }) => payout.id.toString()))];
}

/** Ids for a log line. A batch has up to 200 payments: of several, the line names the first. */
export function idsOf(items: readonly LaneItem[]): object {
  const [first] = items;
  if (items.length !== 1) return { payments: items.length, firstPaymentId: first?.paymentId };
  return {
    paymentId: first?.paymentId,
    intentId: first?.intentId,
    ...(first?.refund && { refundId: first.refund.id }),
  };
}

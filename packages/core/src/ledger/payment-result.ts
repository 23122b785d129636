// Payment results: all that a completion, a failure or a reversal changes. A store reads the rows, asks here, and writes
// the drafts in one transaction.
import type { Rate } from '@svc-pay/money';
import type { NetworkId, PaymentStatus } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { EventDraft } from '../event/event-draft.ts';
import type { LaneItem } from '../lane/lane.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';
import { applyPaymentResult } from '../payment/apply-payment-result.ts';
import { stepsTo } from '../payment/link-payment.ts';
import type { StoredPayment } from '../payment/payment.ts';
import { draftSteps, type Snapshot } from '../payment/payment-events.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { reversePayment } from '../payment/reverse-payment.ts';
import { SETTLEMENT_STATUS, type SettlementStatus } from '../settlement/settlement-transitions.ts';
import { bookPayment, type SettledItem, type SettledPayment } from './book-payment.ts';
import { externalCostAtomic } from './gas-share.ts';
import { type LedgerEntry, reverseEntries } from './ledger-entry.ts';

/** An intent and its latest payment as read, with the version and the event sequence that a write must name. */
export type SnapshotToChange = Snapshot & { readonly version: number; readonly eventSequence: number };

/** Request id that the events carry for the merchant's log: the id of a batch, or a new id for a periodic job. */
export type ResultOrigin = { readonly requestId: string; readonly nowMs: number };

/** The log that completes a payment. One log proves one thing, for ever; a reorg that removes the log removes the proof. */
export type LogProof = { readonly network: NetworkId; readonly transactionId: string; readonly logIndex: number };

export type PaymentResultDraft = {
  readonly after: Snapshot & { readonly payment: NonNullable<Snapshot['payment']> };
  /** Status that the payment must still have when the result is written. */
  readonly paymentFrom: PaymentStatus;
  /** The intent's version when it was read; it must not have changed when the result is written. */
  readonly version: number;
  readonly eventSequence: number;
  /** `batched` and `held` are for a reversal. */
  readonly settlement: SettlementStatus;
  readonly externalCostAtomic: bigint | null;
  readonly events: readonly EventDraft[];
  readonly entries: readonly LedgerEntry[];
  /** Written with a completion. */
  readonly proof: LogProof | null;
  /** Deleted with a reversal. */
  readonly disproved: LogProof | null;
  /** The transaction of somebody else that completed the payment: its settlement is in no batch then. */
  readonly foreignTransactionId: string | null;
};

/** Prices by which a gas share is shown in the payment's token; see `externalCostAtomic`. */
export type CostRates = { readonly gasCoin: Rate | undefined; readonly token: Rate | undefined };

/** The chain settled the payment: it is completed, its intent too, and the money is booked. */
export function completedResult(
  read: SnapshotToChange | undefined,
  settled: SettledPayment,
  rates: CostRates,
  origin: ResultOrigin,
): PaymentResultDraft {
  const { item, mined, batch, gasShareAtomic } = settled;
  const before = requireNamed(read, item);
  const { breakdown, entries } = bookPayment(settled, { nowMs: origin.nowMs });
  const { transactionId } = batch;
  const result = { transactionId, logIndex: mined.logIndex, settledAtomic: item.settledAtomic, breakdown };
  return {
    ...changeOf(
      before,
      applyPaymentResult(before, { status: PAYMENT_STATUS.completed, ...result }, origin.nowMs),
      origin,
    ),
    settlement: SETTLEMENT_STATUS.completed,
    externalCostAtomic: externalCostAtomic(gasShareAtomic, rates),
    entries,
    proof: { network: settled.lane.network, transactionId, logIndex: mined.logIndex },
    disproved: null,
    foreignTransactionId: null,
  };
}

export type FailedItem = { readonly item: LaneItem; readonly code: ErrorCode };

/** The payment moved no money and never will. `transactionId` when it failed inside a mined transaction. */
export function failedResult(
  read: SnapshotToChange | undefined,
  { item, code }: FailedItem,
  transactionId: string | null,
  origin: ResultOrigin,
): PaymentResultDraft {
  const before = requireNamed(read, item);
  return {
    ...changeOf(
      before,
      applyPaymentResult(before, { status: PAYMENT_STATUS.failed, transactionId, code }, origin.nowMs),
      origin,
    ),
    ...NO_PROOF,
    externalCostAtomic: null,
    settlement: SETTLEMENT_STATUS.failed,
    entries: [],
  };
}

/**
 * A reorg removed the transaction that completed the payment. `live` are the entries that this transaction caused and
 * that are not reversed. The settlement waits in its batch again; that of a stranded transfer is held again, because
 * the batch carries the transfer and not the settlement.
 */
export function reversedResult(
  read: SnapshotToChange | undefined,
  item: LaneItem,
  live: readonly LedgerEntry[],
  origin: ResultOrigin,
): PaymentResultDraft {
  const before = requireNamed(read, item);
  return {
    ...changeOf(before, reversePayment(before), origin),
    externalCostAtomic: null,
    settlement: item.strandedTransfer === undefined ? SETTLEMENT_STATUS.batched : SETTLEMENT_STATUS.held,
    entries: reverseEntries(live, { nowMs: origin.nowMs }),
    ...NO_PROOF,
    disproved: proofOf(before.payment),
  };
}

/** The proof of a completed payment, by the position that the payment names. */
export function proofOf(payment: StoredPayment | null): LogProof | null {
  if (payment === null || payment.transactionSplitId === null) return null;
  const at = payment.transactionSplitId.lastIndexOf(':');
  return {
    network: payment.network,
    transactionId: payment.transactionSplitId.slice(0, at),
    logIndex: Number.parseInt(payment.transactionSplitId.slice(at + 1), 10),
  };
}

const NO_PROOF = { proof: null, disproved: null, foreignTransactionId: null } as const;

export type SettledBatchItem = { readonly item: LaneItem; readonly mined: SettledItem };

/** Payments that the transaction settled. `items` are those of `mined`, in their order. */
export function settledItems(
  items: readonly LaneItem[],
  mined: Pick<MinedBatch, 'items'>,
): readonly SettledBatchItem[] {
  return items.flatMap((item, index) => {
    const part = mined.items[index];
    return part?.outcome === 'settled' && item.refund === undefined ? [{ item, mined: part }] : [];
  });
}

function requireNamed(before: SnapshotToChange | undefined, { intentId, paymentId }: LaneItem): SnapshotToChange {
  if (before?.payment?.id !== paymentId) throw new Error(`intent ${intentId} does not name payment ${paymentId}`);
  return before;
}

function changeOf(
  before: SnapshotToChange,
  changed: Snapshot,
  { requestId, nowMs }: ResultOrigin,
): Pick<PaymentResultDraft, 'after' | 'paymentFrom' | 'version' | 'eventSequence' | 'events'> {
  const { version, eventSequence } = before;
  const origin = { requestId, idempotencyKey: null };
  const { after, events } = draftSteps(before, stepsTo(before, changed), origin, nowMs, eventSequence);
  const { intent, payment } = after;
  if (before.payment === null || payment === null) throw new Error(`intent ${intent.id} lost its payment`);
  return {
    after: { intent, payment },
    paymentFrom: before.payment.status,
    version,
    eventSequence,
    events,
  };
}

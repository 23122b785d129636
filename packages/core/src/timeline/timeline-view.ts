// The timeline of a payment as shown on the wire: entries in the order of time, made from what is stored.
import { type NetworkId, type PaymentStatus } from '@svc-pay/protocol';
import type { PaymentTimeline, TimelineEntry, TimelineReason } from '@svc-pay/protocol/merchant';
import { caip2NameOf } from '@svc-pay/protocol/x402';
import { isoTime } from '../clock.ts';
import { intentView } from '../intent/intent.ts';
import { CANCELED_EVENT } from '../intent/intent-events.ts';
import { ENDED_INTENT } from '../intent/intent-transitions.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { REFUND_STATUS } from '../refund/refund-transitions.ts';
import { refundView } from '../refund/refund-view.ts';
import { SETTLEMENT_STATUS, UNPAID_SETTLEMENT } from '../settlement/settlement-transitions.ts';
import { explorerUrlOf } from '../token/explorer.ts';
import { carriedEntries } from './carried-entries.ts';
import { canceledSituation, isAtRest, isShort, settlementOf, settlementSituation, situationOf } from './situation.ts';
import type { TimelineAuthorization, TimelineEvent, TimelineRows, TimelineStranding } from './timeline-rows.ts';

export function timelineView(rows: TimelineRows): PaymentTimeline {
  const entries = [
    createdEntry(rows),
    ...rows.attempts.map(refusedEntry),
    ...rows.authorizations.map((authorization) => authorizationEntry(rows, authorization)),
    ...rows.payments.map((payment) => paymentEntry(rows, payment)),
    ...carriedEntries(rows),
    ...bookedEntries(rows),
    ...rows.strandings.map(strandedEntry),
    ...rows.refunds.flatMap(refundEntries),
    ...canceledEntries(rows),
    ...rows.events.flatMap((event) => eventEntries(rows, event)),
  ];
  return {
    paymentIntent: intentView(rows.intent, 'secret'),
    why: situationOf(rows),
    atRest: isAtRest(rows),
    asOf: isoTime(rows.asOfMs),
    // The sort is stable: entries of the same millisecond keep this order.
    entries: entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
    truncated: rows.truncated,
  };
}

const timeOr = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
const reason = (code: TimelineReason): TimelineReason => code;

function createdEntry({ intent, offers }: TimelineRows): TimelineEntry {
  return {
    kind: 'intent_created',
    at: isoTime(intent.createdAtMs),
    why: null,
    offers: offers.map(({ network, ...offer }) => ({ ...offer, chain: caip2NameOf(network) })),
  };
}

function canceledEntries(rows: TimelineRows): readonly TimelineEntry[] {
  const { canceledAtMs } = rows;
  if (canceledAtMs === null) return [];
  return [{ kind: 'intent_canceled', at: isoTime(canceledAtMs), why: canceledSituation(rows) }];
}

function refusedEntry({ code, payer, createdAtMs }: TimelineRows['attempts'][number]): TimelineEntry {
  return { kind: 'attempt_refused', at: isoTime(createdAtMs), why: code, payer };
}

function authorizationEntry(rows: TimelineRows, authorization: TimelineAuthorization): TimelineEntry {
  const { kind, network, asset, payer, recipient, direct, cap, closedAtMs, createdAtMs } = authorization;
  return {
    kind: 'authorization_received',
    at: isoTime(createdAtMs),
    why: null,
    authorizationKind: kind,
    chain: caip2NameOf(network),
    asset,
    payer,
    recipient,
    direct,
    cap,
    ...chargeOf(rows, authorization),
    validUntil: isoTime(authorization.validBeforeSeconds * 1_000),
    closedAt: timeOr(closedAtMs),
  };
}

/** An authorization whose payment failed charged nothing. */
function chargeOf(
  { settlements, intent }: TimelineRows,
  { claimKey, cap }: TimelineAuthorization,
): { charged: string | null; released: string | null } {
  const unpaid: readonly string[] = UNPAID_SETTLEMENT;
  const own = settlements.filter((settlement) => settlement.claimKey === claimKey);
  const settlement = own.find(({ status }) => !unpaid.includes(status)) ?? own.at(-1);
  if (settlement === undefined) {
    const ended: readonly string[] = ENDED_INTENT;
    return ended.includes(intent.status) ? { charged: '0', released: cap } : { charged: null, released: null };
  }
  const charged = unpaid.includes(settlement.status) ? '0' : settlement.settledAmount;
  const decided = settlement.status === SETTLEMENT_STATUS.completed || charged === '0';
  return { charged, released: decided ? (BigInt(cap) - BigInt(charged)).toString() : null };
}

function paymentEntry(rows: TimelineRows, payment: TimelineRows['payments'][number]): TimelineEntry {
  const settlement = settlementOf(rows, payment.id);
  const transactionId = payment.transactionId ?? settlement?.foreignTransactionId ?? null;
  return {
    kind: 'payment_started',
    at: isoTime(payment.createdAtMs),
    why: reasonOfPayment(rows, payment),
    paymentId: payment.id,
    status: payment.status,
    chain: caip2NameOf(payment.network),
    tokenShortcode: payment.tokenShortcode,
    asset: payment.asset,
    payer: payment.payer,
    amount: payment.amount.toString(),
    requestedAmount: payment.requestedAmount?.toString() ?? null,
    paidAmount: payment.paidAmount?.toString() ?? null,
    paidTotal: payment.paidTotal?.toString() ?? null,
    refundDueAmount: payment.refundDueAmount?.toString() ?? null,
    transactionId,
    transactionSplitId: payment.transactionSplitId,
    explorerUrl: explorerUrlOf(payment.network, transactionId),
    settlementStatus: settlement?.status ?? null,
    retryAt: timeOr(settlement?.retryAtMs ?? null),
  };
}

function reasonOfPayment(rows: TimelineRows, payment: TimelineRows['payments'][number]): string | null {
  const settlement = settlementOf(rows, payment.id);
  const reasons: Readonly<Record<PaymentStatus, () => string | null>> = {
    [PAYMENT_STATUS.pending]: () => settlementSituation(settlement, rows.asOfMs),
    [PAYMENT_STATUS.failed]: () => payment.failureCode,
    [PAYMENT_STATUS.mismatched]: () => reasonOfMismatch(payment),
    [PAYMENT_STATUS.canceled]: () => payment.failureCode,
    [PAYMENT_STATUS.completed]: () =>
      settlement === undefined || settlement.foreignTransactionId === null ? null : reason('somebody_else_sent_it'),
    [PAYMENT_STATUS.refunded]: () => null,
  };
  return reasons[payment.status]();
}

function reasonOfMismatch(payment: TimelineRows['payments'][number]): TimelineReason {
  if (isShort(payment)) return 'underpaid';
  const { requestedAmount, paidAmount } = payment;
  return requestedAmount !== null && paidAmount !== null && paidAmount > requestedAmount ? 'overpaid' : 'paid_aside';
}

/** Entries that one statement booked of one payment have one time and balance. */
function bookedEntries({ bookings }: TimelineRows): readonly TimelineEntry[] {
  const booked = Map.groupBy(bookings, ({ paymentId, createdAtMs, reverses }) =>
    JSON.stringify([paymentId, createdAtMs, reverses !== null]),
  );
  return [...booked.values()].flatMap((entries): TimelineEntry[] => {
    const [first] = entries;
    if (first === undefined) return [];
    return [
      {
        kind: 'booked',
        at: isoTime(first.createdAtMs),
        why: first.reverses === null ? null : reason('block_removed'),
        paymentId: first.paymentId,
        entries: entries.map(({ id, account, party, network, asset, amount, transactionId, logIndex, reverses }) => ({
          id,
          account,
          party,
          chain: caip2NameOf(network),
          asset,
          amount,
          transactionId,
          logIndex,
          reverses,
        })),
      },
    ];
  });
}

function strandedEntry(stranding: TimelineStranding): TimelineEntry {
  const { paymentId, action, status, network, transactionId } = stranding;
  return {
    kind: 'money_stranded',
    at: isoTime(stranding.createdAtMs),
    why: stranding.reason,
    paymentId,
    action,
    status,
    ...placeOf(network, transactionId),
  };
}

function refundEntries(refund: TimelineRows['refunds'][number]): readonly TimelineEntry[] {
  const view = refundView(refund);
  const why = refund.failureCode ?? refund.refusal;
  const started = { kind: 'refund_started' as const, at: view.createdAt, why, refund: view };
  const { status, completedAtMs, updatedAtMs } = refund;
  const ends: readonly string[] = [REFUND_STATUS.completed, REFUND_STATUS.failed, REFUND_STATUS.canceled];
  if (!ends.includes(status)) return [started];
  return [started, { kind: 'refund_ended', at: isoTime(completedAtMs ?? updatedAtMs), why, refund: view }];
}

function eventEntries(rows: TimelineRows, event: TimelineEvent): readonly TimelineEntry[] {
  const { id, type, paymentId, createdAtMs, deliveries, attempts } = event;
  return [
    {
      kind: 'event_written',
      at: isoTime(createdAtMs),
      why: reasonOfEvent(rows, event),
      eventId: id,
      eventType: type,
      paymentId,
      deliveries: [...deliveries],
    },
    ...attempts.map(
      ({ endpointId, attempt, outcome, responseStatus, totalMs, startedAtMs, nextAt }): TimelineEntry => ({
        kind: 'delivery_tried',
        at: isoTime(startedAtMs),
        why: outcome === 'succeeded' ? null : outcome,
        eventId: id,
        eventType: type,
        endpointId,
        attempt,
        outcome,
        responseStatus,
        totalMs,
        nextAt,
      }),
    ),
  ];
}

function reasonOfEvent(rows: TimelineRows, { type, paymentId }: TimelineEvent): string | null {
  if (type === CANCELED_EVENT) return canceledSituation(rows);
  if (type !== 'payment.failed') return null;
  return rows.payments.find(({ id }) => id === paymentId)?.failureCode ?? null;
}

function placeOf(network: NetworkId, transactionId: string) {
  return { chain: caip2NameOf(network), transactionId, explorerUrl: explorerUrlOf(network, transactionId) };
}

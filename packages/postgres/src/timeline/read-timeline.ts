// Reads everything that is stored about one intent, all of it as it was at one moment.
import {
  CANCELED_EVENT,
  type Caller,
  INTENT_STATUS,
  type StoredPayment,
  type TimelineCarriage,
  type TimelineRows,
} from '@svc-pay/core';
import { type Id, idBound, timeOfId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import type { DeliveryRow } from '../delivery/delivery-row.ts';
import { intentOf, paymentOf } from '../intent/load-intent.ts';
import { listAttempts } from '../listing/list-attempts.ts';
import { type ListedIntentRow, type ListedPaymentRow, loadPaymentRows } from '../listing/load-listed.ts';
import { type RefundRow, refundOf } from '../refund/refund-row.ts';
import {
  type AuthorizationRow,
  authorizationOf,
  type BatchRow,
  batchOf,
  bookingOf,
  type EntryRow,
  type EventOfTimelineRow,
  eventsOf,
  type OfferRow,
  offerOf,
  type SettlementRow,
  type StrandingRow,
  settlementOf,
  strandingOf,
  type TransactionRow,
  type TriedRow,
  transactionsOf,
} from './timeline-row.ts';
import { TIMELINE, TIMELINE_LIMITS } from './timeline-statements.ts';

/** Undefined if the caller has no such intent. */
export function readTimeline(
  pool: pg.Pool,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
): Promise<TimelineRows | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    return read(openReading(client, caller), client, caller, intentId);
  });
}

type List = keyof typeof TIMELINE_LIMITS & keyof typeof TIMELINE;
type Reading = ReturnType<typeof openReading>;

/** Notes when a list was longer than its limit. */
function openReading(client: pg.ClientBase, { accountId, mode }: Caller) {
  let truncated = false;
  const cut = <Row>(list: List, rows: readonly Row[]): readonly Row[] => {
    const limit = TIMELINE_LIMITS[list];
    truncated ||= rows.length > limit;
    return rows.slice(0, limit);
  };
  return {
    isTruncated: () => truncated,
    cut,
    own: async <Row extends pg.QueryResultRow>(list: keyof typeof TIMELINE, ...values: readonly unknown[]) => {
      const { rows } = await client.query<Row>({ ...TIMELINE[list], values: [accountId, mode, ...values] });
      return rows;
    },
    named: async <Row extends pg.QueryResultRow>(list: 'batches' | 'transactions', ids: readonly string[]) => {
      const { rows } = await client.query<Row>({ ...TIMELINE[list], values: [ids] });
      return cut(list, rows);
    },
  };
}

/** Younger than the intent; a day is left to clocks that differ. */
const since = (kind: 'payment' | 'event' | 'ledgerEntry', intentId: Id<'paymentIntent'>): string =>
  idBound(kind, timeOfId(intentId) - 86_400_000);

async function read(
  reading: Reading,
  client: pg.ClientBase,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
): Promise<TimelineRows | undefined> {
  const { own, cut } = reading;
  const [intent] = await own<TimelineIntentRow>('intent', intentId);
  if (intent === undefined) return undefined;
  const offers = cut('offers', await own<OfferRow>('offers', intentId));
  const attempts = (await listAttempts(client, caller, intentId)) ?? [];
  const signed = cut('authorizations', await own<AuthorizationRow>('authorizations', intentId));
  const strandings = cut('strandings', await own<StrandingRow>('strandings', intentId));
  const payments = await readPayments(reading, client, caller, intent);
  const paymentIds = payments.map(({ id }) => id);
  const carried = await readCarried(reading, paymentIds, strandings);
  const entries = cut('entries', await own<EntryRow>('entries', paymentIds, since('ledgerEntry', intentId)));
  const events = await readEvents(reading, intentId);
  return {
    asOfMs: intent.as_of.getTime(),
    intent: intentOf(intent),
    canceledAtMs: canceledAt(intent, events),
    namedPaymentId: intent.payment_id,
    offers: offers.map(offerOf),
    attempts,
    authorizations: signed.map(authorizationOf),
    strandings: strandings.map(strandingOf),
    payments,
    ...carried,
    bookings: entries.toReversed().map(bookingOf),
    events,
    truncated: reading.isTruncated(),
  };
}

type TimelineIntentRow = ListedIntentRow & {
  readonly canceled_at: Date | null;
  readonly version: number;
  readonly updated_at: Date;
  readonly as_of: Date;
};

/**
 * Null if it was not canceled, or if nothing tells when. Of one that was canceled before its time was stored, the event tells
 * it; without an event, the time of the last change, if its cancellation is the only change that it ever had.
 */
function canceledAt(intent: TimelineIntentRow, events: TimelineRows['events']): number | null {
  if (intent.canceled_at !== null) return intent.canceled_at.getTime();
  const told = events.find(({ type }) => type === CANCELED_EVENT);
  if (told !== undefined) return told.createdAtMs;
  const onlyChange = intent.status === INTENT_STATUS.canceled && intent.version === 2;
  return onlyChange ? intent.updated_at.getTime() : null;
}

/** The newest, and always the one that the intent names: many small parts must not hide the payment that counts. */
async function readPayments(
  { own, cut }: Reading,
  client: pg.ClientBase,
  caller: Caller,
  { id: intentId, payment_id: named }: ListedIntentRow,
): Promise<readonly StoredPayment[]> {
  const found = cut('payments', await own<ListedPaymentRow>('payments', intentId, since('payment', intentId)));
  const payments = found.map(({ payment }) => paymentOf(payment));
  if (named === null || payments.some(({ id }) => id === named)) return payments;
  const other = (await loadPaymentRows(client, caller, [named])).get(named);
  return other === undefined ? payments : [paymentOf(other.payment), ...payments];
}

async function readCarried(
  { own, cut, named }: Reading,
  paymentIds: readonly string[],
  strandings: readonly StrandingRow[],
): Promise<Pick<TimelineRows, 'settlements' | 'refunds' | 'carriages' | 'batches' | 'transactions'>> {
  const settlements = await own<SettlementRow>('settlements', paymentIds);
  const reverted = cut('reverted', await own<RevertedRow>('reverted', paymentIds));
  const refunds = cut('refunds', await own<CarriedRefundRow>('refunds', paymentIds));
  const carriages = carriagesOf(settlements, reverted, refunds, strandings);
  // Ids sort by time: the newest are kept.
  const batchIds = [...new Set(carriages.map(({ batchId }) => batchId))].toSorted().toReversed();
  const batches = await named<BatchRow>('batches', batchIds);
  const transactions = await named<TransactionRow>('transactions', batchIds);
  return {
    settlements: settlements.map(settlementOf),
    refunds: refunds.map((row) => ({ ...refundOf(row), updatedAtMs: row.updated_at.getTime() })),
    carriages,
    batches: batches.map(batchOf),
    transactions: transactionsOf(transactions),
  };
}

type RevertedRow = { readonly payment_id: string; readonly batch_id: string };
type CarriedRefundRow = RefundRow & { readonly batch_id: string | null; readonly updated_at: Date };

function carriagesOf(
  settlements: readonly SettlementRow[],
  reverted: readonly RevertedRow[],
  refunds: readonly CarriedRefundRow[],
  strandings: readonly StrandingRow[],
): readonly TimelineCarriage[] {
  const carried = (batchId: string | null, paymentId: string | null, refundId: string | null = null) =>
    batchId === null ? [] : [{ batchId, paymentId, refundId, reverted: false }];
  return [
    ...reverted.map(({ batch_id: batchId, payment_id: paymentId }) => ({
      batchId,
      paymentId,
      refundId: null,
      reverted: true,
    })),
    ...settlements.flatMap(({ batch_id: batchId, payment_id: paymentId }) => carried(batchId, paymentId)),
    ...strandings.flatMap(({ batch_id: batchId, payment_id: paymentId }) => carried(batchId, paymentId)),
    ...refunds.flatMap(({ batch_id: batchId, id }) => carried(batchId, null, id)),
  ];
}

async function readEvents({ own, cut }: Reading, intentId: Id<'paymentIntent'>): Promise<TimelineRows['events']> {
  const events = cut('events', await own<EventOfTimelineRow>('events', intentId, since('event', intentId)));
  const ids = events.map(({ id }) => id);
  const deliveries = cut('deliveries', await own<DeliveryRow>('deliveries', ids));
  const endpoints = deliveries.map(({ endpoint_id: endpoint }) => endpoint);
  const delivered = deliveries.map(({ event_id: event }) => event);
  const attempts = cut('attempts', await own<TriedRow>('attempts', delivered, endpoints));
  return eventsOf(events, deliveries, attempts.toReversed());
}

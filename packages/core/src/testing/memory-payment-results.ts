// Payments that end, or whose end is taken back, in the model store: by the rules of core, whole or not at all.
import {
  applyPaymentResult,
  bookPayment,
  draftEvents,
  type EventDraft,
  eventsFor,
  type Lane,
  type LaneItem,
  type LedgerEntry,
  type MinedBatch,
  reverseEntries,
  reversePayment,
  type SettledItem,
  type Snapshot,
} from '../index.ts';
import { addMemoryDelivery } from './memory-delivery-tables.ts';
import type { IntentRow, SettlementRow, Tables } from './memory-tables.ts';

type End = {
  readonly item: LaneItem;
  readonly after: Snapshot;
  readonly settlement: SettlementRow['status'];
  readonly events: readonly EventDraft[];
  readonly entries: readonly LedgerEntry[];
};
export type Cause = { readonly requestId: string; readonly nowMs: number };

export type SettledBatchItem = { readonly item: LaneItem; readonly mined: SettledItem };

export function completions(
  tables: Tables,
  lane: Lane,
  batch: MinedBatch,
  parts: readonly SettledBatchItem[],
  gas: ReadonlyMap<string, bigint>,
  cause: Cause,
): readonly End[] {
  return parts.map(({ item, mined }) => {
    const row = rowOf(tables, item);
    const gasShareAtomic = gas.get(item.paymentId) ?? 0n;
    const { entries } = bookPayment({ lane, item, mined, batch, gasShareAtomic }, cause);
    const end = {
      status: 'completed',
      transactionId: batch.transactionId,
      logIndex: mined.logIndex,
      settledAtomic: item.settledAtomic,
    } as const;
    const after = applyPaymentResult(snapshotOf(tables, row), end, cause.nowMs);
    return { item, after, settlement: 'completed', events: eventsOf(tables, row, after, cause), entries };
  });
}

export function failures(
  tables: Tables,
  items: readonly LaneItem[],
  transactionId: string | null,
  cause: Cause,
): readonly End[] {
  return items.map((item) => {
    const row = rowOf(tables, item);
    const after = applyPaymentResult(snapshotOf(tables, row), { status: 'failed', transactionId }, cause.nowMs);
    return { item, after, settlement: 'failed', events: eventsOf(tables, row, after, cause), entries: [] };
  });
}

export function reversals(
  tables: Tables,
  items: readonly LaneItem[],
  transactionId: string,
  cause: Cause,
): readonly End[] {
  return items.map((item) => {
    const row = rowOf(tables, item);
    const after = reversePayment(snapshotOf(tables, row));
    const entries = reverseEntries(liveEntriesOf(tables, item, transactionId), cause);
    return { item, after, settlement: 'batched', events: eventsOf(tables, row, after, cause), entries };
  });
}

export function liveEntriesOf(
  { entries }: Tables,
  { paymentId }: LaneItem,
  transactionId: string,
): readonly LedgerEntry[] {
  const own = entries.filter((entry) => entry.paymentId === paymentId);
  const back = new Set(own.map(({ reverses }) => reverses));
  return own
    .filter((entry) => entry.transactionId === transactionId && entry.reverses === null && !back.has(entry.id))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** `from` is what their settlements must be until now. Throws, with nothing written, when any row has changed. */
export function writePaymentResults(tables: Tables, results: readonly End[], from: SettlementRow['status']): void {
  const status = from === 'completed' ? 'completed' : 'pending';
  for (const { item } of results) {
    const { paymentId } = item;
    if (tables.settlements.get(paymentId)?.status !== from || tables.payments.get(paymentId)?.status !== status) {
      throw new Error(`${results.length} payments end, but the rows have changed`);
    }
  }
  for (const { item, after, settlement, events, entries } of results) {
    const row = rowOf(tables, item);
    const payment = after.payment as NonNullable<Snapshot['payment']>;
    const announced = payment.announced || events.some(({ type }) => type === 'payment.created');
    tables.payments.set(item.paymentId, { ...payment, announced });
    row.intent = after.intent;
    row.version += 1;
    row.eventSequence += events.length;
    (tables.settlements.get(item.paymentId) as SettlementRow).status = settlement;
    tables.entries.push(...entries);
    writeEvents(tables, events, item);
  }
}

export function writeEvents(
  tables: Tables,
  events: readonly EventDraft[],
  { accountId, mode }: Pick<LaneItem, 'accountId' | 'mode'>,
): void {
  for (const event of events) {
    const wanting = [...tables.endpoints.values()].filter(
      (endpoint) =>
        endpoint.accountId === accountId &&
        endpoint.mode === mode &&
        endpoint.status === 'enabled' &&
        endpoint.eventTypes.includes(event.type),
    );
    const body = new TextEncoder().encode(`${event.bodyBefore}${wanting.length}${event.bodyAfter}`);
    tables.events.set(event.id, { ...event, accountId, mode, body });
    for (const { id } of wanting) {
      addMemoryDelivery(tables, { accountId, mode, eventId: event.id, endpointId: id }, event.createdAtMs);
    }
  }
}

function rowOf(tables: Tables, { intentId, paymentId }: LaneItem): IntentRow {
  const row = tables.intents.get(intentId);
  if (row?.paymentId !== paymentId) throw new Error(`intent ${intentId} does not name payment ${paymentId}`);
  return row;
}

function snapshotOf(tables: Tables, { intent, paymentId }: IntentRow): Snapshot {
  return { intent, payment: tables.payments.get(paymentId ?? '') ?? null };
}

function eventsOf(tables: Tables, row: IntentRow, after: Snapshot, { requestId, nowMs }: Cause): readonly EventDraft[] {
  const caused = eventsFor(snapshotOf(tables, row), after);
  return draftEvents(caused, after, { requestId, idempotencyKey: null }, nowMs, row.eventSequence);
}

// Payment results in the memory store, reversals included: drafted by core, written whole or not at all.
import {
  completedResult,
  type EventDraft,
  type FailedItem,
  failedResult,
  type GasSplit,
  goesFirst,
  type HeldItem,
  type Lane,
  type LaneItem,
  type LedgerEntry,
  type LinkedItem,
  type LogProof,
  leavesBatch,
  linkDraft,
  type MinedBatch,
  type PaymentResultDraft,
  type ResultOrigin,
  type RevertedBatches,
  type SettledBatchItem,
  type SnapshotToChange,
} from '../index.ts';
import { addMemoryDelivery } from './memory-delivery-tables.ts';
import { proofKey } from './memory-direct-tables.ts';
import type { SettlementRow, Tables } from './memory-tables.ts';

const NO_RATES = { gasCoin: undefined, token: undefined };

export type MemoryCompletion = {
  readonly lane: Lane;
  readonly batch: MinedBatch;
  readonly parts: readonly SettledBatchItem[];
  readonly gas: GasSplit['settled'];
};

export function completions(
  tables: Tables,
  { lane, batch, parts, gas }: MemoryCompletion,
  origin: ResultOrigin,
): readonly PaymentResultDraft[] {
  return parts.map(({ item, mined }) => {
    const settled = { lane, item, mined, batch, gasShareAtomic: gas.get(item.paymentId) ?? 0n };
    return completedResult(beforeOf(tables, item), settled, NO_RATES, origin);
  });
}

export function failures(
  tables: Tables,
  failed: readonly FailedItem[],
  transactionId: string | null,
  origin: ResultOrigin,
): readonly PaymentResultDraft[] {
  return failed.map((one) => failedResult(beforeOf(tables, one.item), one, transactionId, origin));
}

function beforeOf(
  { intents, payments }: Tables,
  { intentId }: Pick<LaneItem, 'intentId'>,
): SnapshotToChange | undefined {
  const row = intents.get(intentId);
  return row && { ...row, payment: payments.get(row.paymentId ?? '') ?? null };
}

/** Payments that have their result, or that name the transaction already, stay as they are. */
export function linkPayments(tables: Tables, linked: readonly LinkedItem[], nowMs: number): void {
  for (const { item, link, requestId } of linked) {
    const row = tables.intents.get(item.intentId);
    const draft = linkDraft(beforeOf(tables, item), { item, link }, { requestId, nowMs });
    if (row === undefined || draft === undefined) continue;
    tables.payments.set(draft.after.payment.id, draft.after.payment);
    row.version += 1;
    row.eventSequence += draft.events.length;
    writeEvents(tables, draft.events, draft.after.intent);
  }
}

/** By intent id. */
export function beforesOf(tables: Tables, items: readonly LaneItem[]): ReadonlyMap<string, SnapshotToChange> {
  return new Map(
    items.flatMap((item) => {
      const before = beforeOf(tables, item);
      return before === undefined ? [] : [[item.intentId, before]];
    }),
  );
}

/** `from` is what their settlements must be until now. Throws, with nothing written, when any row has changed. */
export function writePaymentResults(
  tables: Tables,
  results: readonly PaymentResultDraft[],
  from: SettlementRow['status'],
): void {
  const writes = results.map((draft) => {
    const { intent, payment } = draft.after;
    const row = tables.intents.get(intent.id);
    const settlement = tables.settlements.get(payment.id);
    if (settlement?.status !== from || tables.payments.get(payment.id)?.status !== draft.paymentFrom || !row) {
      throw new Error(`${results.length} payments end, but the rows have changed`);
    }
    requireUnproven(tables, draft);
    return { draft, row, settlement };
  });
  for (const { draft, row, settlement } of writes) {
    const { after, events, entries } = draft;
    tables.payments.set(after.payment.id, after.payment);
    row.intent = after.intent;
    row.version += 1;
    row.eventSequence += events.length;
    settlement.status = draft.settlement;
    if (draft.foreignTransactionId !== null) Object.assign(settlement, { relayer: null, batchId: null });
    writeProof(tables, draft);
    tables.entries.push(...entries);
    writeEvents(tables, events, after.intent);
  }
}

function requireUnproven({ proofs }: Tables, { proof, after }: PaymentResultDraft): void {
  const known = proof && proofs.get(keyOf(proof));
  if (known)
    throw new Error(
      `payment ${after.payment.id} would be proven by a log that proves ${known.paymentId ?? known.reason}`,
    );
}

function writeProof({ proofs }: Tables, { proof, disproved, after, foreignTransactionId }: PaymentResultDraft): void {
  if (disproved !== null) proofs.delete(keyOf(disproved));
  if (proof === null) return;
  const { transactionId, logIndex } = proof;
  const read = foreignTransactionId !== null;
  proofs.set(keyOf(proof), { transactionId, logIndex, paymentId: after.payment.id, reason: null, read });
}

const keyOf = ({ network, transactionId, logIndex }: LogProof) => proofKey(network, transactionId, logIndex);

/** Entries that the transaction caused and that are not reversed, by payment id. */
export function liveEntriesOf(
  { entries }: Tables,
  items: readonly LaneItem[],
  transactionId: string,
): ReadonlyMap<string, readonly LedgerEntry[]> {
  return new Map(
    items.map(({ paymentId }) => {
      const own = entries.filter((entry) => entry.paymentId === paymentId);
      const back = new Set(own.map(({ reverses }) => reverses));
      const live = own.filter(
        (entry) => entry.transactionId === transactionId && entry.reverses === null && !back.has(entry.id),
      );
      return [paymentId, live.toSorted((one, other) => (one.id < other.id ? -1 : 1))];
    }),
  );
}

/** Statuses of the batches that carried each payment and reverted. */
export function revertedBatchesOf(
  { settlements, batches }: Tables,
  items: readonly Pick<LaneItem, 'paymentId'>[],
): RevertedBatches {
  return new Map(
    items.map(({ paymentId }) => {
      const ids = settlements.get(paymentId)?.revertedBatches ?? [];
      return [paymentId, ids.flatMap((id) => batches.get(id)?.status ?? [])];
    }),
  );
}

/** Returns the items that moved. */
export function moveSettlements<Item extends Pick<LaneItem, 'paymentId'>>(
  { settlements }: Tables,
  items: readonly Item[],
  from: SettlementRow['status'],
  to: 'queued' | 'held',
): readonly Item[] {
  return items.filter(({ paymentId }) => {
    const row = settlements.get(paymentId);
    if (row?.status !== from) return false;
    row.status = to;
    if (leavesBatch(to)) Object.assign(row, { relayer: null, batchId: null });
    return true;
  });
}

export function holdSettlements(
  { settlements }: Tables,
  held: readonly HeldItem[],
  from: SettlementRow['status'],
): void {
  for (const { item, refusal } of held) {
    const row = settlements.get(item.paymentId);
    if (row?.status === from) Object.assign(row, { status: 'held', refusal });
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
      const key = { accountId, mode, eventId: event.id, endpointId: id };
      addMemoryDelivery(tables, key, event.createdAtMs, goesFirst(event.type));
    }
  }
}

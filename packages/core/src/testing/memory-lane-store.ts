// LaneStore in memory, of lanes that settle payments.
import { newId } from '@svc-pay/protocol/ids';
import {
  type Clock,
  type FoundBatch,
  judgeItem,
  type Lane,
  type LaneItem,
  type LaneLease,
  type LaneStore,
  type QueueShare,
} from '../index.ts';
import { createMemoryLaneBase } from './memory-lane-base.ts';
import { completions, failures, type SettledBatchItem, writePaymentResults } from './memory-payment-results.ts';
import { byNumber, itemOf, type Statement, type Tables } from './memory-tables.ts';

const MINUTE_MS = 60_000;

export function createMemoryLaneStore(tables: Tables, statement: Statement, clock: Clock): LaneStore {
  const { settlements } = tables;
  const base = createMemoryLaneBase(tables, statement, clock);
  const { shared, at, leasedRow, loadPending, storeBatches } = base;
  const queueOf = ({ network }: Lane, { index, count }: QueueShare, nowMs: number) =>
    [...settlements.values()]
      .filter(
        ({ item, status, retryAtMs, ...row }) =>
          row.network === network &&
          status === 'queued' &&
          item.number % BigInt(count) === BigInt(index) &&
          (retryAtMs === null || retryAtMs <= nowMs),
      )
      .toSorted(byNumber);
  const recordOne = (lease: LaneLease, found: FoundBatch, nowMs: number): void => {
    const { batch, mined } = found;
    const gas = base.splitGasOf(found);
    if (gas === undefined) return;
    const parts = batch.items.map((item, index) => ({ item, mined: mined.items[index] }));
    const settled = parts.filter((part): part is SettledBatchItem => part.mined?.outcome === 'settled');
    const cause = { requestId: batch.id, nowMs };
    writePaymentResults(tables, completions(tables, lease, mined, settled, gas.settled, cause), 'batched');
    base.markMined(lease, found, gas, nowMs);
    for (const { item, mined: part } of parts) {
      const settlement = settlements.get(item.paymentId);
      if (part?.outcome === 'settled' || settlement?.status !== 'batched') continue;
      if (part?.outcome !== 'reverted' && part?.outcome !== 'refused_for_now') {
        settlement.status = 'mined';
        continue;
      }
      settlement.revertedBatches.push(batch.id);
      moveSettlements(tables, [item], ['batched'], 'queued');
      settlement.batchLimit = Math.max(1, Math.floor(batch.items.length / 2));
      settlement.retryAtMs = part.outcome === 'refused_for_now' ? nowMs + MINUTE_MS : null;
    }
  };
  return {
    ...shared,
    loadPendingBatches: (lane) =>
      loadPending(lane, (ids) => {
        const carried = [...settlements.values()].filter(({ status }) => status === 'batched' || status === 'mined');
        return ids.map((id) =>
          carried
            .filter(({ batchId }) => batchId === id)
            .toSorted(byNumber)
            .map(itemOf),
        );
      }),
    peekQueue: (lane, share, limit) =>
      at('peekQueue', (nowMs) => {
        const head = queueOf(lane, share, nowMs).slice(0, limit);
        const oldestAtMs = head.length === 0 ? 0 : Math.min(...head.map(({ createdAtMs }) => createdAtMs));
        return { count: head.length, oldestAtMs, solo: false };
      }),
    loadQueue: (lane, share, limit) =>
      at('loadQueue', (nowMs) => queueOf(lane, share, nowMs).slice(0, limit).map(itemOf)),
    // The memory store has no contract wallets and no payers whose transfers use up their gas.
    loadSoloQueue: async () => [],
    noteSoloTurn: () => {},
    storeBatches: (lease, stored) =>
      storeBatches(
        lease,
        stored,
        ({ paymentId }) => settlements.get(paymentId)?.status === 'queued',
        ({ paymentId }, batchId) =>
          Object.assign(settlements.get(paymentId) ?? {}, { status: 'batched', relayer: lease.relayer, batchId }),
      ),
    recordMined: (lease, found) =>
      at('recordMined', (nowMs) => {
        if (leasedRow(lease) === undefined) return false;
        for (const one of found) recordOne(lease, one, nowMs);
        return true;
      }),
    recordUnsent: (lane, unsent) =>
      at('recordUnsent', (nowMs) => {
        if (leasedRow(lane) === undefined) return false;
        const ending = (end: string) =>
          unsent.filter(({ outcome }) => judgeItem(outcome).end === end).map(({ item }) => item);
        const cause = { requestId: newId('batch', nowMs), nowMs };
        const revivable = (item: LaneItem) => isRevivable(tables, item);
        const failed = ending('failed').filter((item) => !revivable(item));
        writePaymentResults(tables, failures(tables, failed, null, cause), 'queued');
        const heldItems = [...ending('held'), ...ending('failed').filter(revivable)];
        moveSettlements(tables, heldItems, ['queued'], 'held');
        return true;
      }),
    defer: (lease, items, untilMs) =>
      statement('defer', () => {
        if (leasedRow(lease) === undefined) return;
        for (const { paymentId } of items) {
          const row = settlements.get(paymentId);
          if (row?.status === 'queued') row.retryAtMs = untilMs;
        }
      }),
    noteUnfit: (lease, condition) =>
      statement('noteUnfit', () => {
        const row = leasedRow(lease);
        if (row !== undefined) row.condition = condition;
      }),
  };
}

/** A reverted batch of it reverted, and that is not final: the payment is not called failed before. */
export function isRevivable({ batches, settlements }: Tables, { paymentId }: Pick<LaneItem, 'paymentId'>): boolean {
  const reverted = settlements.get(paymentId)?.revertedBatches ?? [];
  return reverted.some((id) => !['finalized', 'replaced'].includes(batches.get(id)?.status ?? 'replaced'));
}

/** What waits again belongs to no lane and no batch. */
export function moveSettlements(
  { settlements }: Tables,
  items: readonly Pick<LaneItem, 'paymentId'>[],
  from: readonly string[],
  to: 'queued' | 'held',
): void {
  for (const { paymentId } of items) {
    const row = settlements.get(paymentId);
    if (row === undefined || !from.includes(row.status)) continue;
    row.status = to;
    if (to === 'queued') Object.assign(row, { relayer: null, batchId: null });
  }
}

// LaneStore in memory, of lanes that settle and return stranded transfers.
import { newId } from '@svc-pay/protocol/ids';
import {
  bookReturn,
  type Clock,
  type FoundBatch,
  judgeMinedTransfer,
  judgeRefusedTransfer,
  type Lane,
  type LaneItem,
  type LaneLease,
  type LaneStore,
  type QueueShare,
  type UnsentItem,
} from '../index.ts';
import { createMemoryLaneBase } from './memory-lane-base.ts';
import { completions, failures, linkPayments, writePaymentResults } from './memory-payment-results.ts';
import { type Statement, type StrandedRow, strandedItemOf, type Tables } from './memory-tables.ts';

export function createMemoryStrandedLaneStore(tables: Tables, statement: Statement, clock: Clock): LaneStore {
  const { settlements } = tables;
  const base = createMemoryLaneBase(tables, statement, clock);
  const { shared, at, leasedRow, loadPending, storeBatches } = base;
  const queueOf = ({ network }: Lane, { index, count }: QueueShare, limit: number) =>
    [...tables.stranded.values()]
      .filter(
        ({ number, status, action, ...row }) =>
          row.network === network &&
          status === 'queued' &&
          action !== 'hold' &&
          number % BigInt(count) === BigInt(index),
      )
      .toSorted(byNumber)
      .slice(0, limit);
  return {
    ...shared,
    loadPendingBatches: (lane) =>
      loadPending(lane, (ids) =>
        ids.map((id) => strandedOfBatch(tables, id).map((row) => strandedItemOf(tables, row))),
      ),
    peekQueue: (lane, share, limit) =>
      at('peekQueue', () => {
        const head = queueOf(lane, share, limit);
        const oldestAtMs = head.length === 0 ? 0 : Math.min(...head.map(({ createdAtMs }) => createdAtMs));
        return { count: head.length, oldestAtMs, solo: false, refunds: false };
      }),
    loadQueue: (lane, share, limit) =>
      at('loadQueue', () => queueOf(lane, share, limit).map((row) => strandedItemOf(tables, row))),
    loadRefundQueue: async () => [],
    loadSoloQueue: async () => [],
    loadSoloBudgets: async () => [],
    noteSoloTurn: () => {},
    storeBatches: (lease, stored) =>
      storeBatches(
        lease,
        stored,
        (item) => rowOf(tables, item)?.status === 'queued',
        (item, batchId) => {
          const { relayer } = lease;
          Object.assign(rowOf(tables, item) ?? {}, { status: 'batched', relayer, batchId });
          const settlement = settlements.get(item.paymentId);
          if (settlement?.status === 'held') Object.assign(settlement, { relayer, batchId });
        },
      ),
    recordMined: (lease, found) =>
      at('recordMined', (nowMs) => {
        if (leasedRow(lease) === undefined) return false;
        for (const one of found) recordOne(tables, base, lease, one, nowMs);
        return true;
      }),
    recordUnsent: (lease, unsent) =>
      at('recordUnsent', (nowMs) => {
        if (leasedRow(lease) === undefined) return false;
        for (const one of unsent) recordRefused(tables, one, nowMs);
        return true;
      }),
    defer: async () => {},
    noteUnfit: async () => {},
  };
}

function recordOne(
  tables: Tables,
  base: ReturnType<typeof createMemoryLaneBase>,
  lease: LaneLease,
  found: FoundBatch,
  nowMs: number,
): void {
  const { batch, mined } = found;
  const gas = base.splitGasOf(found);
  if (gas === undefined) return;
  const origin = { requestId: batch.id, nowMs };
  const link = { transactionId: mined.transactionId, transactionSplitId: null };
  for (const [index, item] of batch.items.entries()) {
    const part = mined.items[index];
    const row = rowOf(tables, item);
    if (part === undefined || row === undefined) continue;
    const verdict = judgeMinedTransfer(item, part, row.reason);
    if (verdict.status === 'done' && part.outcome === 'settled') {
      if (verdict.books === 'return') {
        const gasCostAtomic = gas.settled.get(item.paymentId) ?? 0n;
        const returned = { lane: lease, item, mined: part, batch: mined, gasCostAtomic };
        tables.entries.push(...bookReturn(returned, origin));
      } else {
        const completed = { lane: lease, batch: mined, parts: [{ item, mined: part }], gas: gas.settled };
        writePaymentResults(tables, completions(tables, completed, origin), 'held');
      }
    }
    if (part.outcome !== 'settled') linkPayments(tables, [{ item, link, requestId: batch.id }], nowMs);
    setStatus(row, verdict.status, verdict.reason);
  }
  base.markMined(lease, found, gas, nowMs);
}

function recordRefused(tables: Tables, { item, outcome }: UnsentItem, nowMs: number): void {
  const row = rowOf(tables, item);
  if (row === undefined) return;
  const verdict = judgeRefusedTransfer(item, outcome);
  if (verdict.end === 'blocked') return setStatus(row, 'blocked', verdict.reason);
  const origin = { requestId: newId('batch', nowMs), nowMs };
  writePaymentResults(tables, failures(tables, [{ item, code: verdict.code }], null, origin), 'held');
  if (row.action === 'settle' && row.status === 'queued') row.action = 'return';
}

function setStatus(row: StrandedRow, status: StrandedRow['status'], reason: string | null): void {
  if (row.status === 'queued' || row.status === 'batched') Object.assign(row, { status, reason });
}

function rowOf({ stranded, settlements }: Tables, { paymentId }: LaneItem): StrandedRow | undefined {
  const row = stranded.get(settlements.get(paymentId)?.claimKey ?? '');
  return row?.paymentId === paymentId ? row : undefined;
}

const byNumber = (one: StrandedRow, other: StrandedRow) => (one.number < other.number ? -1 : 1);

/** In the order of the queue, whatever their status. */
export function strandedOfBatch({ stranded }: Tables, id: string): readonly StrandedRow[] {
  return [...stranded.values()].filter(({ batchId }) => batchId === id).toSorted(byNumber);
}

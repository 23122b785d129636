// LaneStore in memory, of lanes that settle and return stranded transfers.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import {
  bookReturn,
  type Clock,
  type FoundBatch,
  judgeItem,
  type Lane,
  type LaneItem,
  type LaneLease,
  type LaneStore,
  type QueueShare,
  type UnsentItem,
} from '../index.ts';
import { createMemoryLaneBase } from './memory-lane-base.ts';
import { completions, failures, writePaymentResults } from './memory-payment-results.ts';
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
        return { count: head.length, oldestAtMs, solo: false };
      }),
    loadQueue: (lane, share, limit) =>
      at('loadQueue', () => queueOf(lane, share, limit).map((row) => strandedItemOf(tables, row))),
    loadSoloQueue: async () => [],
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
  const cause = { requestId: batch.id, nowMs };
  for (const [index, item] of batch.items.entries()) {
    const part = mined.items[index];
    if (part?.outcome !== 'settled') {
      setStatus(tables, item, 'mined', part?.outcome ?? 'no_evidence');
      continue;
    }
    if (item.strandedTransfer?.action === 'return') {
      const returned = { lane: lease, item, mined: part, batch: mined };
      const gasCostAtomic = gas.settled.get(item.paymentId) ?? 0n;
      tables.entries.push(...bookReturn({ ...returned, gasCostAtomic }, cause));
    } else {
      const settled = [{ item, mined: part }];
      writePaymentResults(tables, completions(tables, lease, mined, settled, gas.settled, cause), 'held');
    }
    setStatus(tables, item, 'done', null);
  }
  base.markMined(lease, found, gas, nowMs);
}

function recordRefused(tables: Tables, { item, outcome }: UnsentItem, nowMs: number): void {
  const code = failureOf(outcome);
  if (item.strandedTransfer?.action !== 'settle' || code === undefined) {
    setStatus(tables, item, 'blocked', outcome);
    return;
  }
  const cause = { requestId: newId('batch', nowMs), nowMs };
  writePaymentResults(tables, failures(tables, [item], null, cause), 'held');
  const row = rowOf(tables, item);
  if (row?.action === 'settle' && row.status === 'queued') row.action = 'return';
}

function failureOf(outcome: UnsentItem['outcome']): ErrorCode | undefined {
  if (outcome === 'intent_already_settled') return 'intent_not_payable';
  if (!['payout_inactive', 'amount_out_of_range', 'nonce_not_bound'].includes(outcome)) return undefined;
  const judgement = judgeItem(outcome);
  return judgement.end === 'failed' ? judgement.code : undefined;
}

function setStatus(tables: Tables, item: LaneItem, status: 'mined' | 'done' | 'blocked', reason: string | null): void {
  const row = rowOf(tables, item);
  if (row === undefined || !['queued', 'batched'].includes(row.status)) return;
  const again = status === 'mined' && reason === 'reverted' && row.reason === 'reverted';
  Object.assign(row, { status: again ? 'blocked' : status, reason });
}

function rowOf({ stranded, settlements }: Tables, { paymentId }: LaneItem): StrandedRow | undefined {
  return stranded.get(settlements.get(paymentId)?.claimKey ?? '');
}

const byNumber = (one: StrandedRow, other: StrandedRow) => (one.number < other.number ? -1 : 1);

/** In the order of the queue, whatever their status. */
export function strandedOfBatch({ stranded }: Tables, id: string): readonly StrandedRow[] {
  return [...stranded.values()].filter(({ batchId }) => batchId === id).toSorted(byNumber);
}

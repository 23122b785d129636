// LaneStore in memory, of lanes that settle payments.
import { newId } from '@svc-pay/protocol/ids';
import {
  type Clock,
  type FoundBatch,
  isRefundBatch,
  judgeUnsettledItems,
  type Lane,
  type LaneItem,
  type LaneLease,
  type LaneStore,
  NO_AMOUNTS,
  NO_LINK,
  type QueueShare,
  queuedAgain,
  type SoloBudget,
  settledItems,
} from '../index.ts';
import { createMemoryLaneBase } from './memory-lane-base.ts';
import {
  completions,
  failures,
  holdSettlements,
  linkPayments,
  revertedBatchesOf,
  writePaymentResults,
} from './memory-payment-results.ts';
import { recordMinedRefund, refundOf, refundQueueOf, refundsOfBatch, refuseQueued } from './memory-refunds.ts';
import { byNumber, itemOf, type Statement, type Tables } from './memory-tables.ts';

const NOTHING = { sumAtomic: 0n, mostAtomic: 0n };
const NO_LIMITS: SoloBudget = {
  limits: undefined,
  lost: { network: NO_AMOUNTS, account: NO_AMOUNTS, code: NO_AMOUNTS, payer: NO_AMOUNTS, refunds: NO_AMOUNTS },
  proven: false,
  atRisk: { network: NOTHING, account: NOTHING, code: NOTHING, payer: NOTHING, refunds: NOTHING },
  boundSends: undefined,
};

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
  const rowOf = (item: LaneItem) =>
    item.refund === undefined ? settlements.get(item.paymentId) : refundOf(tables, item);
  const recordOne = (lease: LaneLease, found: FoundBatch, nowMs: number): void => {
    const { batch, mined } = found;
    const gas = base.splitGasOf(found);
    if (gas === undefined) return;
    if (isRefundBatch(batch)) {
      base.markMined(lease, found, gas, nowMs);
      recordMinedRefund(tables, found, nowMs);
      return;
    }
    const parts = settledItems(batch.items, mined);
    const completed = { lane: lease, batch: mined, parts, gas: gas.settled };
    writePaymentResults(tables, completions(tables, completed, { requestId: batch.id, nowMs }), 'batched');
    base.markMined(lease, found, gas, nowMs);
    for (const [index, { paymentId }] of batch.items.entries()) {
      const part = mined.items[index];
      const settlement = settlements.get(paymentId);
      if (part === undefined || part.outcome === 'settled' || settlement?.status !== 'batched') continue;
      const again = queuedAgain(part, batch.items.length, nowMs);
      const { linkedTo, seenIn } = batch;
      const { item } = settlement;
      if (again === undefined) {
        settlement.status = 'mined';
        const link = { transactionId: mined.transactionId, transactionSplitId: null };
        if (linkedTo !== mined.transactionId || seenIn !== undefined)
          linkPayments(tables, [{ item, link, requestId: batch.id }], nowMs);
      } else {
        settlement.revertedBatches.push(batch.id);
        Object.assign(settlement, { status: 'queued', relayer: null, batchId: null, ...again });
        linkPayments(tables, [{ item, link: NO_LINK, requestId: batch.id }], nowMs);
      }
    }
  };
  return {
    ...shared,
    loadPendingBatches: (lane) =>
      loadPending(lane, (ids) => {
        const carried = [...settlements.values()].filter(({ status }) => status === 'batched' || status === 'mined');
        return ids.map((id) => [
          ...carried
            .filter(({ batchId }) => batchId === id)
            .toSorted(byNumber)
            .map(itemOf),
          ...refundsOfBatch(tables, id),
        ]);
      }),
    peekQueue: (lane, share, limit) =>
      at('peekQueue', (nowMs) => {
        const head = queueOf(lane, share, nowMs).slice(0, limit);
        const oldestAtMs = head.length === 0 ? 0 : Math.min(...head.map(({ createdAtMs }) => createdAtMs));
        return {
          count: head.length,
          oldestAtMs,
          solo: false,
          refunds: refundQueueOf(tables, lane, share, nowMs).length > 0,
        };
      }),
    loadQueue: (lane, share, limit) =>
      at('loadQueue', (nowMs) => queueOf(lane, share, nowMs).slice(0, limit).map(itemOf)),
    loadRefundQueue: (lane, share, limit, busyWallets) =>
      at('loadRefundQueue', (nowMs) => refundQueueOf(tables, lane, share, nowMs, busyWallets).slice(0, limit)),
    // The memory store has no contract wallets and no payers whose transfers use up their gas.
    loadSoloQueue: async () => [],
    loadSoloBudgets: async (_lane, items) => items.map(() => NO_LIMITS),
    noteSoloTurn: () => {},
    storeBatches: (lease, stored) =>
      storeBatches(
        lease,
        stored,
        (item) => rowOf(item)?.status === 'queued',
        (item, batchId) => {
          const status = item.refund === undefined ? 'batched' : 'sent';
          Object.assign(rowOf(item) ?? {}, { status, relayer: lease.relayer, batchId });
        },
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
        for (const { item, outcome } of unsent) refuseQueued(tables, item, outcome, nowMs);
        const payments = unsent.filter(({ item }) => item.refund === undefined);
        const items = payments.map(({ item }) => item);
        const { failed, held } = judgeUnsettledItems(payments, revertedBatchesOf(tables, items));
        const origin = { requestId: newId('batch', nowMs), nowMs };
        const { requestId } = origin;
        const unlinked = failed.map(({ item }) => ({ item, link: NO_LINK, requestId }));
        if (failed.every(({ item }) => settlements.get(item.paymentId)?.status === 'queued'))
          linkPayments(tables, unlinked, nowMs);
        writePaymentResults(tables, failures(tables, failed, null, origin), 'queued');
        holdSettlements(tables, held, 'queued');
        return true;
      }),
    defer: (lease, items, untilMs) =>
      statement('defer', () => {
        if (leasedRow(lease) === undefined) return;
        for (const item of items) {
          const row = rowOf(item);
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

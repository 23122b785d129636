// The lane's side of the model store.

import { newId } from '@svc-pay/protocol/ids';
import {
  bookLosses,
  type Clock,
  type FoundBatch,
  judgeItem,
  type Lane,
  type LaneItem,
  type LaneLease,
  type LaneStore,
  laneKey,
  lostItems,
  type QueueShare,
  splitGas,
} from '../index.ts';
import { completions, failures, type SettledBatchItem, writePaymentResults } from './memory-payment-results.ts';
import {
  type BatchRow,
  byNumber,
  isPendingBatch,
  itemOf,
  type RelayerRow,
  type Statement,
  type Tables,
} from './memory-tables.ts';

const OBSTACLE_COUNTS_AFTER_MS = 3_000;
const MINUTE_MS = 60_000;

export function createMemoryLaneStore(tables: Tables, statement: Statement, clock: Clock): LaneStore {
  const { batches, settlements } = tables;
  /** Time is the caller's: that of the call, not of its arrival. */
  const at = <Result>(name: string, action: (nowMs: number) => Result): Promise<Result> => {
    const nowMs = clock.nowMs();
    return statement(name, () => action(nowMs));
  };
  const rowOf = (lane: Lane): RelayerRow | undefined => tables.relayers.get(laneKey(lane));
  const leasedRow = (lease: LaneLease): RelayerRow | undefined => {
    const row = rowOf(lease);
    return row?.epoch === lease.epoch ? row : undefined;
  };
  const recordOne = (lease: LaneLease, { batch, mined }: FoundBatch, nowMs: number): void => {
    const row = batches.get(mined.batchId);
    if (row === undefined || !isPendingBatch(row)) return;
    const parts = batch.items.map((item, index) => ({ item, mined: mined.items[index] }));
    const settled = parts.filter((part): part is SettledBatchItem => part.mined?.outcome === 'settled');
    const earlier = tables.losses.filter(({ batchId }) => batchId === batch.id);
    const gas = splitGas(mined, batch.items, lostItems(row.itemCount, mined, earlier));
    const cause = { requestId: batch.id, nowMs };
    writePaymentResults(tables, completions(tables, lease, mined, settled, gas.settled, cause), 'batched');
    const { transactionId, blockNumber, blockHash } = mined;
    tables.losses.push(...bookLosses({ ...lease, batchId: batch.id, transactionId }, gas.lost, { nowMs }));
    Object.assign(row, {
      status: 'mined',
      transactionId,
      blockNumber,
      blockHash,
      gasBooked: true,
      updatedAtMs: nowMs,
    });
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
  const batchesOf = ({ network, relayer }: Lane): readonly BatchRow[] =>
    [...batches.values()].filter((batch) => batch.network === network && batch.relayer === relayer);
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
  const statusOf = ({ paymentId }: LaneItem) => settlements.get(paymentId)?.status;

  const shareOf = ({ network, address }: RelayerRow, nowMs: number): QueueShare | undefined => {
    const able = [...tables.relayers.values()]
      .filter(
        (row) =>
          row.network === network &&
          row.condition === 'fine' &&
          (row.obstacle === null || (row.obstacleSinceMs ?? 0) > nowMs - OBSTACLE_COUNTS_AFTER_MS),
      )
      .map((row) => row.address)
      .toSorted();
    const index = able.indexOf(address);
    return index < 0 ? undefined : { index, count: able.length };
  };

  return {
    takeOver: (lane) =>
      at('takeOver', (nowMs) => {
        const row = rowOf(lane);
        if (row === undefined) throw new Error(`no relayer ${laneKey(lane)}`);
        Object.assign(row, { epoch: row.epoch + 1n, awake: true, beatAtMs: nowMs });
        return row.epoch;
      }),
    heartbeat: (lease) =>
      at('heartbeat', (nowMs) => {
        const row = leasedRow(lease);
        if (row === undefined) return undefined;
        row.beatAtMs = nowMs;
        return { nextNonce: row.nextNonce, open: true, share: shareOf(row, nowMs), obstacle: row.obstacle };
      }),
    loadPendingBatches: async (lane) => {
      const pending = await statement('loadPendingBatches', () =>
        batchesOf(lane)
          .filter(isPendingBatch)
          .toSorted((one, other) => (one.nonce < other.nonce ? -1 : 1))
          .map((batch) => ({ ...batch, transactions: [...batch.transactions] })),
      );
      if (pending.length === 0) return [];
      const items = await statement('loadPendingBatches items', () => {
        const carried = [...settlements.values()].filter(({ status }) => status === 'batched' || status === 'mined');
        return pending.map(({ id }) =>
          carried
            .filter(({ batchId }) => batchId === id)
            .toSorted(byNumber)
            .map(itemOf),
        );
      });
      return pending.map(({ id, nonce, status, updatedAtMs, transactions }, index) => ({
        id,
        nonce,
        status: status as 'signed' | 'broadcast',
        sentAtMs: updatedAtMs,
        transactions,
        items: items[index] ?? [],
      }));
    },
    peekQueue: (lane, share, limit) =>
      at('peekQueue', (nowMs) => {
        const head = queueOf(lane, share, nowMs).slice(0, limit);
        const oldestAtMs = head.length === 0 ? 0 : Math.min(...head.map(({ createdAtMs }) => createdAtMs));
        return { count: head.length, oldestAtMs, solo: false };
      }),
    loadQueue: (lane, share, limit) =>
      at('loadQueue', (nowMs) => queueOf(lane, share, nowMs).slice(0, limit).map(itemOf)),
    // Nobody pays by a contract wallet here; payers whose transaction reverted alone are not set apart either.
    loadSoloQueue: async () => [],
    noteSoloTurn: () => {},
    storeBatches: (lease, stored) =>
      at('storeBatches', (nowMs) => {
        const row = leasedRow(lease);
        const items = stored.flatMap((batch) => batch.items);
        if (row === undefined || row.nextNonce !== stored[0]?.nonce) return false;
        if (items.some((item) => statusOf(item) !== 'queued')) return false;
        for (const batch of stored) {
          requireFreeNonce(batchesOf(lease), batch.nonce);
          requireUnknown(tables, batch.signed.transactionId);
        }
        for (const { id, nonce, signed, items: own } of stored) {
          row.nextNonce += 1n;
          batches.set(id, {
            id,
            network: lease.network,
            relayer: lease.relayer,
            nonce,
            itemCount: own.length,
            status: 'signed',
            transactionId: signed.transactionId,
            blockNumber: null,
            blockHash: null,
            gasBooked: false,
            updatedAtMs: nowMs,
            transactions: [{ transactionId: signed.transactionId, raw: signed.raw, signedAtMs: nowMs }],
          });
          for (const { paymentId } of own) {
            Object.assign(settlements.get(paymentId) ?? {}, { status: 'batched', relayer: lease.relayer, batchId: id });
          }
        }
        return true;
      }),
    storeTransaction: (lease, batchId, { transactionId, raw }) =>
      at('storeTransaction', (nowMs) => {
        const batch = batches.get(batchId);
        if (leasedRow(lease) === undefined || batch === undefined || !isPendingBatch(batch)) return false;
        requireUnknown(tables, transactionId);
        batch.transactionId = transactionId;
        batch.transactions.push({ transactionId, raw, signedAtMs: nowMs });
        return true;
      }),
    markBroadcast: (lease, batchIds) =>
      at('markBroadcast', (nowMs) => {
        if (leasedRow(lease) === undefined) return;
        for (const id of batchIds) {
          const batch = batches.get(id);
          if (batch !== undefined && isPendingBatch(batch)) {
            Object.assign(batch, { status: 'broadcast', updatedAtMs: nowMs });
          }
        }
      }),
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
    recordReplaced: (lease, batchId) =>
      at('recordReplaced', (nowMs) => {
        if (leasedRow(lease) === undefined) return false;
        const batch = batches.get(batchId);
        if (batch === undefined || !isPendingBatch(batch)) return true;
        Object.assign(batch, { status: 'replaced', updatedAtMs: nowMs });
        const items = [...settlements.values()].filter((row) => row.batchId === batchId).map(itemOf);
        moveSettlements(tables, items, ['batched'], 'queued');
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
    advanceNonce: (lease, from, to) =>
      statement('advanceNonce', () => {
        const row = leasedRow(lease);
        const inTheWay = batchesOf(lease).some(
          (batch) => isPendingBatch(batch) || (batch.nonce >= from && batch.status !== 'replaced'),
        );
        if (row?.nextNonce === from && !inTheWay) row.nextNonce = to;
      }),
    noteObstacle: (lease, obstacle) =>
      at('noteObstacle', (nowMs) => {
        const row = leasedRow(lease);
        if (row === undefined || row.obstacle === obstacle) return;
        Object.assign(row, { obstacle, obstacleSinceMs: obstacle === null ? null : nowMs });
      }),
    noteUnfit: (lease, condition) =>
      statement('noteUnfit', () => {
        const row = leasedRow(lease);
        if (row !== undefined) row.condition = condition;
      }),
    fallAsleep: async (lease) => {
      const set = (awake: boolean) => () => {
        const row = leasedRow(lease);
        if (row !== undefined) row.awake = awake;
      };
      await statement('sleep', set(false));
      if (!(await statement('hasWork', () => hasWork(tables, rowOf(lease))))) return true;
      await statement('wake', set(true));
      return false;
    },
  };
}

/** As `batches_nonce` holds it. */
function requireFreeNonce(own: readonly BatchRow[], nonce: bigint): void {
  if (own.some((batch) => batch.nonce === nonce && batch.status !== 'replaced')) {
    throw new Error('duplicate key value violates unique constraint "batches_nonce"');
  }
}

function requireUnknown({ batches }: Tables, transactionId: string): void {
  for (const { transactions } of batches.values()) {
    if (transactions.some((known) => known.transactionId === transactionId)) {
      throw new Error('duplicate key value violates unique constraint "batch_transactions_pkey"');
    }
  }
}

export function hasWork({ batches, settlements }: Tables, row: RelayerRow | undefined): boolean {
  if (row === undefined) return false;
  const own = ({ network, relayer }: BatchRow) => network === row.network && relayer === row.address;
  if ([...batches.values()].some((batch) => own(batch) && isPendingBatch(batch))) return true;
  if (row.obstacle !== null) return true;
  return [...settlements.values()].some(({ network, status }) => network === row.network && status === 'queued');
}

/** A reverted batch of it reverted, and that is not final: the payment is not called failed before. */
export function isRevivable({ batches, settlements }: Tables, { paymentId }: LaneItem): boolean {
  const reverted = settlements.get(paymentId)?.revertedBatches ?? [];
  return reverted.some((id) => !['finalized', 'replaced'].includes(batches.get(id)?.status ?? 'replaced'));
}

/** What waits again belongs to no lane and no batch. */
export function moveSettlements(
  { settlements }: Tables,
  items: readonly LaneItem[],
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

// LaneStore over Postgres, shared by all lanes of the process.
import {
  type BatchToStore,
  type Clock,
  createSoloTurns,
  isRefundBatch,
  type Lane,
  type LaneStore,
  laneKey,
  noteSoloTurn,
} from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type pg from 'pg';
import { loadSoloBudgets } from '../budget/load-budgets.ts';
import type { GasSpent } from '../ledger/book-gas.ts';
import { deferItems } from './defer-items.ts';
import { fallAsleep, heartbeat, takeOver } from './lane-fence.ts';
import { loadPendingBatches } from './load-pending-batches.ts';
import { loadQueue, peekQueue } from './load-queue.ts';
import { loadSoloQueue } from './load-solo-queue.ts';
import { createPendingBatchCache, type PendingBatchCache } from './pending-batch-cache.ts';
import { recordAttempts, recordSeen } from './record-attempts.ts';
import { recordMined } from './record-mined.ts';
import { recordReplaced } from './record-replaced.ts';
import { recordUnsent } from './record-unsent.ts';
import { loadRefundQueue } from './refund-items.ts';
import { storeBatches } from './store-batches.ts';
import { storeTransaction } from './store-transaction.ts';
import { advanceNonce, noteObstacle, noteUnfit } from './update-lane-condition.ts';

export type LaneStoreOptions = {
  readonly clock: Clock;
  /** Price of the network's native coin; undefined when none is configured. */
  readonly gasCoinRate: (network: string) => Rate | undefined;
  /** Called with the gas cost of recorded transactions, after the ledger entries are committed. */
  readonly onGasSpent?: (spent: readonly GasSpent[]) => void;
};

export function createLaneStore(pool: pg.Pool, { clock, gasCoinRate, onGasSpent }: LaneStoreOptions): LaneStore {
  const cache = createPendingBatchCache();
  const turns = createSoloTurns();
  /** By lane, the account whose refund it sent last. A process keeps it in memory, as the turns of the solo queue. */
  const lastRefunded = new Map<string, string>();
  return {
    takeOver: (lane) => takeOver(pool, lane, clock.nowMs()),
    heartbeat: (lease) => heartbeat(pool, lease, clock.nowMs()),
    loadPendingBatches: (lane) => loadPendingBatches(pool, lane, cache),
    peekQueue: (lane, share, limit) => peekQueue(pool, lane, share, limit, clock.nowMs()),
    loadQueue: (lane, share, limit) => loadQueue(pool, lane, share, limit, clock.nowMs()),
    loadRefundQueue: (lane, share, limit, busyWallets = []) => {
      const lastAccount = lastRefunded.get(laneKey(lane)) ?? '';
      return loadRefundQueue(pool, lane, share, { limit, nowMs: clock.nowMs(), busyWallets, lastAccount });
    },
    loadSoloQueue: (lane, share, part, limit) =>
      loadSoloQueue(pool, lane, share, { part, limit, nowMs: clock.nowMs(), turns: turns(lane, part) }),
    loadSoloBudgets: ({ network }, items) => loadSoloBudgets(pool, network, items),
    noteSoloTurn: (lane, part, item) => noteSoloTurn(turns(lane, part), item),
    storeBatches: async (lease, batches, boundSends) => {
      const nowMs = clock.nowMs();
      const duty = batches.some(isRefundBatch) ? 'refund' : 'settle';
      const stored = await storeBatches(pool, lease, batches, nowMs, { duty, boundSends });
      if (stored) keepStored(cache, lease, batches, nowMs);
      const refunded = batches.findLast(isRefundBatch)?.items[0];
      if (refunded !== undefined) lastRefunded.set(laneKey(lease), refunded.accountId);
      return stored;
    },
    storeTransaction: (lease, batchId, signed) => storeTransaction(pool, lease, batchId, signed, clock.nowMs()),
    recordAttempts: (lease, attempts) => recordAttempts(pool, lease, attempts, clock.nowMs()),
    recordSeen: (lease, found) => recordSeen(pool, lease, found, clock.nowMs()),
    recordMined: (lease, found) =>
      recordMined(pool, lease, found, { nowMs: clock.nowMs(), gasCoin: gasCoinRate(lease.network), onGasSpent }),
    recordUnsent: (lease, unsent) => recordUnsent(pool, lease, unsent, clock.nowMs()),
    recordReplaced: (lease, batchId) => recordReplaced(pool, lease, batchId, clock.nowMs()),
    defer: (lease, items, untilMs) => deferItems(pool, lease, items, untilMs),
    advanceNonce: (lease, from, to) => advanceNonce(pool, lease, from, to, clock.nowMs()),
    noteObstacle: (lease, obstacle) => noteObstacle(pool, lease, obstacle, clock.nowMs()),
    noteUnfit: (lease, condition) => noteUnfit(pool, lease, condition, clock.nowMs()),
    fallAsleep: (lease) => fallAsleep(pool, lease),
  };
}

function keepStored(cache: PendingBatchCache, lane: Lane, batches: readonly BatchToStore[], nowMs: number): void {
  for (const { id, signed, items } of batches) {
    const { transactionId, raw } = signed;
    cache.keep(lane, id, { transactions: [{ transactionId, raw, signedAtMs: nowMs }], items });
  }
}

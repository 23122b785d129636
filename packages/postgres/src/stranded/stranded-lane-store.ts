// The store of a lane that settles and returns stranded transfers: the same lease, nonces, stored transactions and
// batches as any lane's; the queue holds stranded transfers instead of settlements.

import type { FoundBatch, LaneItem, LaneLease, LaneStore, LinkedItem, UnsentItem } from '@svc-pay/core';
import { bookReturn, isoTime, judgeMinedTransfer, judgeRefusedTransfer, SETTLEMENT_STATUS } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { fallAsleep, heartbeat, requireLease, takeOver, withFence } from '../lane/lane-fence.ts';
import type { LaneStoreOptions } from '../lane/lane-store.ts';
import { loadPendingBatches, loadStrandedBatchItems } from '../lane/load-pending-batches.ts';
import type { PendingBatchCache } from '../lane/pending-batch-cache.ts';
import { recordAttempts, recordSeen } from '../lane/record-attempts.ts';
import { markMined, minedItemOf, type RecordOptions } from '../lane/record-mined.ts';
import { recordReplaced } from '../lane/record-replaced.ts';
import { storeBatches } from '../lane/store-batches.ts';
import { storeTransaction } from '../lane/store-transaction.ts';
import { advanceNonce, noteObstacle } from '../lane/update-lane-condition.ts';
import { bookGas, type GasSpent, gasSpent } from '../ledger/book-gas.ts';
import { linkPayments } from '../payment/link-payments.ts';
import { completePayments, failPayments } from '../payment/payment-results.ts';
import { lockStrandedRecords } from '../payment/stranded-item-row.ts';
import { writeEntries, writePaymentResults } from '../payment/write-payment-results.ts';
import { loadStrandedQueue, peekStrandedQueue } from './stranded-queue.ts';

/** No cache: batches of stranded transfers are few, so each round reads them in full. */
const NO_MEMORY: PendingBatchCache = { keep: () => {}, recall: () => undefined, keepOnly: () => {} };

export function createStrandedLaneStore(
  pool: pg.Pool,
  { clock, gasCoinRate, onGasSpent }: LaneStoreOptions,
): LaneStore {
  return {
    takeOver: (lane) => takeOver(pool, lane, clock.nowMs()),
    heartbeat: (lease) => heartbeat(pool, lease, clock.nowMs()),
    loadPendingBatches: (lane) => loadPendingBatches(pool, lane, NO_MEMORY, loadStrandedBatchItems),
    peekQueue: (lane, share, limit) => peekStrandedQueue(pool, lane, share, limit),
    loadQueue: (lane, share, limit) => loadStrandedQueue(pool, lane, share, limit),
    loadRefundQueue: async () => [],
    loadSoloQueue: async () => [],
    loadSoloBudgets: async () => [],
    noteSoloTurn: () => {},
    storeBatches: (lease, batches) => storeBatches(pool, lease, batches, clock.nowMs(), { duty: 'resolve_stranded' }),
    storeTransaction: (lease, batchId, signed) => storeTransaction(pool, lease, batchId, signed, clock.nowMs()),
    recordAttempts: (lease, attempts) => recordAttempts(pool, lease, attempts, clock.nowMs()),
    recordSeen: (lease, found) => recordSeen(pool, lease, found, clock.nowMs()),
    recordReplaced: (lease, batchId) => recordReplaced(pool, lease, batchId, clock.nowMs()),
    // Stranded transfers are few, and a round tries the next one when one is refused.
    defer: async () => {},
    advanceNonce: (lease, from, to) => advanceNonce(pool, lease, from, to, clock.nowMs()),
    noteObstacle: (lease, obstacle) => noteObstacle(pool, lease, obstacle, clock.nowMs()),
    // The health check covers only relayers with duty `settle`; this lane tries again by itself.
    noteUnfit: async () => {},
    recordMined: async (lease, found) => {
      const options = { nowMs: clock.nowMs(), gasCoin: gasCoinRate(lease.network) };
      const spent: GasSpent[] = [];
      const recorded = await withFence(pool, async (client) => {
        await requireLease(client, lease);
        for (const one of found) spent.push(...(await record(client, lease, one, options)));
      });
      if (recorded) onGasSpent?.(spent);
      return recorded;
    },
    recordUnsent: (lease, unsent) => withFence(pool, (client) => recordRefused(client, lease, unsent, clock.nowMs())),
    fallAsleep: (lease) => fallAsleep(pool, lease),
  };
}

async function record(
  client: pg.PoolClient,
  lease: LaneLease,
  found: FoundBatch,
  { nowMs, gasCoin }: RecordOptions,
): Promise<readonly GasSpent[]> {
  const { batch, mined } = found;
  const marked = await markMined(client, [mined], nowMs);
  if (marked.size === 0) return [];
  const splits = await bookGas(client, lease, [found], marked, nowMs);
  const gas = splits.get(batch.id)?.settled ?? new Map<string, bigint>();
  const origin = { requestId: batch.id, nowMs };
  const records = new Map((await lockStrandedRecords(client, batch.id)).map((one) => [one.paymentId, one]));
  const link = { transactionId: mined.transactionId, transactionSplitId: null };
  const unsettled: LinkedItem[] = [];
  for (const [index, item] of batch.items.entries()) {
    const part = minedItemOf(mined, item.paymentId, index);
    const verdict = judgeMinedTransfer(item, part, records.get(item.paymentId)?.reason ?? null);
    if (part.outcome === 'settled' && verdict.status === 'done') {
      const gasCostAtomic = gas.get(item.paymentId) ?? 0n;
      if (verdict.books === 'return') {
        await writeEntries(client, bookReturn({ lane: lease, item, mined: part, batch: mined, gasCostAtomic }, origin));
      } else {
        const settled = { batch: mined, parts: [{ item, mined: part }], gas };
        const results = await completePayments(client, lease, settled, gasCoin, origin);
        await writePaymentResults(client, results, SETTLEMENT_STATUS.held, nowMs);
      }
    }
    if (part.outcome !== 'settled') unsettled.push({ item, link, requestId: batch.id });
    await setStatus(client, item, verdict, nowMs);
  }
  await linkPayments(client, unsettled, nowMs);
  return gasSpent(lease, [found], splits);
}

/** Records transfers that the processor refuses for good. */
async function recordRefused(
  client: pg.PoolClient,
  lease: LaneLease,
  unsent: readonly UnsentItem[],
  nowMs: number,
): Promise<void> {
  await requireLease(client, lease);
  const origin = { requestId: newId('batch', nowMs), nowMs };
  for (const { item, outcome } of unsent) {
    const verdict = judgeRefusedTransfer(item, outcome);
    if (verdict.end === 'blocked') {
      await setStatus(client, item, { status: 'blocked', reason: verdict.reason }, nowMs);
      continue;
    }
    const results = await failPayments(client, [{ item, code: verdict.code }], null, origin);
    await writePaymentResults(client, results, SETTLEMENT_STATUS.held, nowMs);
    await client.query({
      name: 'return-instead',
      text: `
        update svc.stranded_transfers set action = 'return', updated_at = $4
        where account_id = $1 and mode = $2 and payment_id = $3 and action = 'settle' and status = 'queued'`,
      values: [item.accountId, item.mode, item.paymentId, isoTime(nowMs)],
    });
  }
}

async function setStatus(
  client: pg.ClientBase,
  { accountId, mode, paymentId }: LaneItem,
  { status, reason }: { readonly status: 'mined' | 'done' | 'blocked'; readonly reason: string | null },
  nowMs: number,
): Promise<void> {
  await client.query({
    name: 'set-stranded-status',
    text: `
      update svc.stranded_transfers set status = $4, reason = $5, updated_at = $6
      where account_id = $1 and mode = $2 and payment_id = $3 and status in ('queued', 'batched')`,
    values: [accountId, mode, paymentId, status, reason, isoTime(nowMs)],
  });
}

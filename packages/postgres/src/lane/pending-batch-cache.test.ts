import { laneRound, type PendingBatch, parseLaneKey } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld, type LaneWorld } from '../testing/lane-world.ts';
import { createLaneStore } from './lane-store.ts';
import { loadPendingBatches } from './load-pending-batches.ts';
import { createPendingBatchCache } from './pending-batch-cache.ts';

/** A pending batch, cached by the process that sent it. */
async function pending() {
  const world = await createLaneWorld((await createTestDatabase()).pool);
  await world.queue(5);
  const lease = await world.takeLease();
  await laneRound(world.deps, lease);
  const [batch] = await world.store.loadPendingBatches(world.lane);
  if (batch === undefined) throw new Error('nothing flies');
  return { world, lease, batch };
}

/** Loads the pending batches with an empty cache. */
const afresh = ({ pool, lane }: LaneWorld) => loadPendingBatches(pool, lane, createPendingBatchCache());
const plain = (pendingBatches: readonly PendingBatch[]) =>
  pendingBatches.map((batch) => ({
    ...batch,
    transactions: batch.transactions.map((one) => ({ ...one, raw: Buffer.from(one.raw).toString('hex') })),
  }));

test('the cached pending batches are those of the database', async () => {
  const { world } = await pending();
  expect(plain(await world.store.loadPendingBatches(world.lane))).toEqual(plain(await afresh(world)));
});

test('a cached batch is not read again', async () => {
  const { world, batch } = await pending();
  const [again] = await world.store.loadPendingBatches(world.lane);
  expect(again?.items).toBe(batch.items);
  expect(again?.transactions[0]?.raw).toBe(batch.transactions[0]?.raw);
});

test('a transaction that another process added is seen', async () => {
  const { world, lease, batch } = await pending();
  const other = createLaneStore(world.pool, { clock: world.deps.clock, gasCoinRate: () => undefined });
  await other.storeTransaction(lease, batch.id, { transactionId: `0x${'ab'.repeat(32)}`, raw: new Uint8Array([1, 2]) });
  const [seen] = await world.store.loadPendingBatches(world.lane);
  expect(seen?.transactions).toHaveLength(2);
  expect(plain(await world.store.loadPendingBatches(world.lane))).toEqual(plain(await afresh(world)));
});

test('a payment that is not the batch’s any more is seen', async () => {
  const { world, batch } = await pending();
  const [gone] = batch.items;
  await world.pool.query("update svc.settlements set status = 'held' where payment_id = $1", [gone?.paymentId]);
  const [seen] = await world.store.loadPendingBatches(world.lane);
  expect(seen?.items.map(({ paymentId }) => paymentId)).not.toContain(gone?.paymentId);
  expect(seen?.items).toHaveLength(4);
});

test('what changed of a payment is seen', async () => {
  const { world, batch } = await pending();
  await world.pool.query('update svc.settlements set batch_limit = 2 where payment_id = $1', [
    batch.items[0]?.paymentId,
  ]);
  const [seen] = await world.store.loadPendingBatches(world.lane);
  expect(seen?.items[0]?.batchLimit).toBe(2);
});

test('what does not fly any more is forgotten', () => {
  const cache = createPendingBatchCache();
  const lane = parseLaneKey('eip155:1/0x1');
  const contents = { transactions: [], items: [] };
  cache.keep(lane, 'one', contents);
  cache.keep(lane, 'two', contents);
  cache.keepOnly(lane, new Set(['two']));
  const fingerprint = { transactionIds: [], itemCount: 0, batchLimits: 0 };
  expect(cache.recall(lane, 'one', fingerprint)).toBeUndefined();
  expect(cache.recall(lane, 'two', fingerprint)).toBe(contents);
});

import { type FlyingBatch, laneRound, parseLaneKey } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld, type LaneWorld } from '../testing/lane-world.ts';
import { createFlightMemory } from './flight-memory.ts';
import { createLaneStore } from './lane-store.ts';
import { loadFlight } from './load-flight.ts';

/** A batch that flies, as the process knows it that sent it. */
async function flying() {
  const world = await createLaneWorld((await createTestDatabase()).pool);
  await world.queue(5);
  const held = await world.hold();
  await laneRound(world.parts, held);
  const [batch] = await world.store.loadFlight(world.lane);
  if (batch === undefined) throw new Error('nothing flies');
  return { world, held, batch };
}

/** As a process finds it that has just begun. */
const afresh = ({ pool, lane }: LaneWorld) => loadFlight(pool, lane, createFlightMemory());
const plain = (flight: readonly FlyingBatch[]) =>
  flight.map((batch) => ({
    ...batch,
    transactions: batch.transactions.map((one) => ({ ...one, raw: Buffer.from(one.raw).toString('hex') })),
  }));

test('what a lane remembers of its flight is what the database says', async () => {
  const { world } = await flying();
  expect(plain(await world.store.loadFlight(world.lane))).toEqual(plain(await afresh(world)));
});

test('what it remembers is not read again', async () => {
  const { world, batch } = await flying();
  const [again] = await world.store.loadFlight(world.lane);
  expect(again?.items).toBe(batch.items);
  expect(again?.transactions[0]?.raw).toBe(batch.transactions[0]?.raw);
});

test('a transaction that another process added is seen', async () => {
  const { world, held, batch } = await flying();
  const other = createLaneStore(world.pool, { clock: world.parts.clock, gasCoinRate: () => undefined });
  await other.storeTransaction(held, batch.id, { transactionId: `0x${'ab'.repeat(32)}`, raw: new Uint8Array([1, 2]) });
  const [seen] = await world.store.loadFlight(world.lane);
  expect(seen?.transactions).toHaveLength(2);
  expect(plain(await world.store.loadFlight(world.lane))).toEqual(plain(await afresh(world)));
});

test('a payment that is not the batch’s any more is seen', async () => {
  const { world, batch } = await flying();
  const [gone] = batch.items;
  await world.pool.query("update svc.settlements set status = 'held' where payment_id = $1", [gone?.paymentId]);
  const [seen] = await world.store.loadFlight(world.lane);
  expect(seen?.items.map(({ paymentId }) => paymentId)).not.toContain(gone?.paymentId);
  expect(seen?.items).toHaveLength(4);
});

test('what changed of a payment is seen', async () => {
  const { world, batch } = await flying();
  await world.pool.query('update svc.settlements set batch_limit = 2 where payment_id = $1', [
    batch.items[0]?.paymentId,
  ]);
  const [seen] = await world.store.loadFlight(world.lane);
  expect(seen?.items[0]?.batchLimit).toBe(2);
});

test('what does not fly any more is forgotten', () => {
  const memory = createFlightMemory();
  const lane = parseLaneKey('eip155:1/0x1');
  const cargo = { transactions: [], items: [] };
  memory.keep(lane, 'one', cargo);
  memory.keep(lane, 'two', cargo);
  memory.keepOnly(lane, new Set(['two']));
  const mark = { transactionIds: [], itemCount: 0, batchLimits: 0 };
  expect(memory.recall(lane, 'one', mark)).toBeUndefined();
  expect(memory.recall(lane, 'two', mark)).toBe(cargo);
});

// Lanes under crashes at every step, and three bugs that were put in on purpose: with each of them the same run must end
// in differences, or this checker could not be trusted with the real thing.
import { type HeldLane, type LaneParts, type LaneStore, laneRound } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { laneDifferences } from '../testing/lane-differences.ts';
import { createLaneWorld, type LaneWorld } from '../testing/lane-world.ts';
import { recordingEarly, signingAgain, withoutFence } from '../testing/seeded-bugs.ts';
import { workThroughCrashes } from '../testing/work-through-crashes.ts';

const world = async () => createLaneWorld((await createTestDatabase()).pool);

test.each([1, 2, 3, 4])(
  'crashes at every step, seed %i: each payment settles once and the books agree',
  async (seed) => {
    const lane = await world();
    const payments = await lane.queue(60);
    const lives = await workThroughCrashes(lane, lane.parts, seed);
    expect(lives).toBeGreaterThan(5);
    expect(await laneDifferences(lane, payments)).toEqual([]);
    expect(await lane.statuses()).toEqual({ completed: 60 });
  },
);

/** The first holder stops right before it stores what it signed, another one does all the work, then the first goes on. */
async function workBesideZombie(lane: LaneWorld, store: LaneStore, payments: number): Promise<readonly string[]> {
  const queued = await lane.queue(payments);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const zombie: LaneParts = {
    ...lane.parts,
    store: {
      ...store,
      storeBatches: async (held, batches) => {
        reached.resolve();
        await released.promise;
        return store.storeBatches(held, batches);
      },
    },
  };
  const old: HeldLane = { ...lane.lane, epoch: await store.takeOver(lane.lane) };
  const oldRound = laneRound(zombie, old);
  await reached.promise;
  const young: HeldLane = { ...lane.lane, epoch: await store.takeOver(lane.lane) };
  await laneRound({ ...lane.parts, store }, young);
  released.resolve();
  await oldRound;
  lane.chain.mine();
  for (let round = 0; round < 20; round += 1) {
    await laneRound({ ...lane.parts, store }, young);
    lane.chain.mine();
  }
  return queued;
}

test('an old attempt that goes on beside the new one changes nothing', async () => {
  const lane = await world();
  const payments = await workBesideZombie(lane, lane.store, 30);
  expect(await laneDifferences(lane, payments)).toEqual([]);
  expect(await lane.statuses()).toEqual({ completed: 30 });
});

describe('bugs put in on purpose are found', () => {
  test('without the fence the last writer wins, and payments that were taken are lost', async () => {
    const lane = await world();
    await lane.pool.query('drop index svc.batches_nonce');
    const payments = await workBesideZombie(lane, withoutFence(lane.parts, lane.pool).store, 30);
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });

  test('signing again instead of sending again: what was on its way is lost', async () => {
    const lane = await world();
    const payments = await lane.queue(60);
    await workThroughCrashes(lane, signingAgain(lane.parts, lane.pool), 1, { maxLives: 60 });
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });

  test('recording before the receipt: payments are completed that were never taken', async () => {
    const lane = await world();
    const payments = await lane.queue(60);
    for (const bad of payments.slice(0, 3)) lane.chain.spoil(bad, 'insufficient_funds', 'mined');
    await workThroughCrashes(lane, recordingEarly(lane.parts), 1);
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });
});

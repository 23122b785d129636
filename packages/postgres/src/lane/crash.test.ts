// Lanes with crashes at every step. The same run with each of three injected bugs must end in differences: otherwise
// the check would prove nothing.
import { type LaneDeps, type LaneLease, type LaneStore, laneRound } from '@svc-pay/core';
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
    const lives = await workThroughCrashes(lane, lane.deps, seed);
    expect(lives).toBeGreaterThan(5);
    expect(await laneDifferences(lane, payments)).toEqual([]);
    expect(await lane.statuses()).toEqual({ completed: 60 });
  },
);

test.each([1, 2, 3, 4])(
  'crashes at every step of a lane that records beside its rounds, seed %i: each payment settles once',
  async (seed) => {
    const lane = await world();
    const payments = await lane.queue(60);
    lane.chain.setMaxItems(7);
    const lives = await workThroughCrashes(lane, lane.deps, seed, { beside: true });
    expect(lives).toBeGreaterThan(5);
    expect(await laneDifferences(lane, payments)).toEqual([]);
    expect(await lane.statuses()).toEqual({ completed: 60 });
  },
);

/**
 * One process stops right before it stores its batches, another takes over and settles all, then the first continues.
 */
async function workBesideZombie(lane: LaneWorld, store: LaneStore, payments: number): Promise<readonly string[]> {
  const queued = await lane.queue(payments);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const zombie: LaneDeps = {
    ...lane.deps,
    store: {
      ...store,
      storeBatches: async (lease, batches) => {
        reached.resolve();
        await released.promise;
        return store.storeBatches(lease, batches);
      },
    },
  };
  const old: LaneLease = { ...lane.lane, epoch: await store.takeOver(lane.lane) };
  const oldRound = laneRound(zombie, old);
  await reached.promise;
  const young: LaneLease = { ...lane.lane, epoch: await store.takeOver(lane.lane) };
  await laneRound({ ...lane.deps, store }, young);
  released.resolve();
  await oldRound;
  lane.chain.mine();
  for (let round = 0; round < 20; round += 1) {
    await laneRound({ ...lane.deps, store }, young);
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
    const payments = await workBesideZombie(lane, withoutFence(lane.deps, lane.pool).store, 30);
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });

  test('signing again instead of sending again: what was on its way is lost', async () => {
    const lane = await world();
    const payments = await lane.queue(60);
    await workThroughCrashes(lane, signingAgain(lane.deps, lane.pool), 1, { maxLives: 60 });
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });

  test('recording before the receipt: payments are completed that were never taken', async () => {
    const lane = await world();
    const payments = await lane.queue(60);
    for (const bad of payments.slice(0, 3)) lane.chain.spoil(bad, 'insufficient_funds', 'mined');
    await workThroughCrashes(lane, recordingEarly(lane.deps), 1);
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });
});

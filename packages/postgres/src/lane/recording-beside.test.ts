// A lane that records mined batches beside its rounds, under the same fence.
import { setTimeout as sleep } from 'node:timers/promises';
import { createLaneRecorder, type LaneDeps, laneRound } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { laneDifferences } from '../testing/lane-differences.ts';
import { createLaneWorld, type LaneWorld } from '../testing/lane-world.ts';
import { recordingUnfenced } from '../testing/seeded-bugs.ts';

const world = async () => createLaneWorld((await createTestDatabase()).pool);

/** Locks the rows of the stored batches, so that a transaction that records them waits. Returns how to let it go on. */
async function holdRecording({ pool }: LaneWorld): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select from svc.batches for update');
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

const batchesOf = async ({ pool }: LaneWorld) =>
  (await pool.query<{ status: string }>('select status from svc.batches order by nonce')).rows.map(
    ({ status }) => status,
  );

test('the next batch leaves while the last one is recorded', async () => {
  const lane = await world();
  const first = await lane.queue(5);
  const lease = await lane.takeLease();
  await laneRound(lane.deps, lease);
  lane.chain.mine();
  const goOn = await holdRecording(lane);
  const recorder = createLaneRecorder(lane.deps, lease);
  expect(await laneRound(lane.deps, lease, recorder)).toBe('moved');
  const next = await lane.queue(3);
  expect(await laneRound(lane.deps, lease, recorder)).toBe('moved');
  expect([await batchesOf(lane), await lane.statuses()]).toEqual([['broadcast', 'broadcast'], { pending: 8 }]);
  await goOn();
  expect(await recorder.finish()).toBe(true);
  expect([await batchesOf(lane), await lane.statuses()]).toEqual([
    ['mined', 'broadcast'],
    { completed: 5, pending: 3 },
  ]);
  lane.chain.mine();
  await laneRound(lane.deps, lease, recorder);
  await recorder.finish();
  expect(await laneDifferences(lane, [...first, ...next])).toEqual([]);
});

test('a take-over waits for a recording that has begun, and a later one of the old lease writes nothing', async () => {
  const lane = await world();
  await lane.queue(5);
  const old = await lane.takeLease();
  await laneRound(lane.deps, old);
  lane.chain.mine();
  const goOn = await holdRecording(lane);
  const recorder = createLaneRecorder(lane.deps, old);
  await laneRound(lane.deps, old, recorder);
  let taken = false;
  const takeOver = lane.takeLease().then((lease) => {
    taken = true;
    return lease;
  });
  await sleep(300);
  expect(taken).toBe(false);
  await goOn();
  expect(await recorder.finish()).toBe(true);
  await takeOver;
  expect(await lane.statuses()).toEqual({ completed: 5 });
  expect(await laneRound(lane.deps, old, createLaneRecorder(lane.deps, old))).toBe('taken_over');
});

/**
 * One process stops right before it records a mined batch. Another takes over, a reorg undoes the block, and then the first
 * continues.
 */
async function recordBesideZombie(lane: LaneWorld, bug: (deps: LaneDeps) => LaneDeps): Promise<readonly string[]> {
  const payments = await lane.queue(10);
  const old = await lane.takeLease();
  await laneRound(lane.deps, old);
  lane.chain.mine();
  const released = Promise.withResolvers<void>();
  const { store } = bug(lane.deps);
  const zombie: LaneDeps = {
    ...lane.deps,
    store: {
      ...store,
      recordMined: async (lease, found) => {
        await released.promise;
        return store.recordMined(lease, found);
      },
    },
  };
  const recorder = createLaneRecorder(zombie, old);
  await laneRound(zombie, old, recorder);
  const young = await lane.takeLease();
  lane.chain.reorganise(1);
  released.resolve();
  await recorder.finish();
  for (let round = 0; round < 20; round += 1) {
    await laneRound(lane.deps, young);
    await sleep(10);
    lane.chain.mine();
  }
  return payments;
}

describe('an old process that goes on to record beside the new one', () => {
  test('changes nothing', async () => {
    const lane = await world();
    const payments = await recordBesideZombie(lane, (deps) => deps);
    expect(await laneDifferences(lane, payments)).toEqual([]);
    expect(await lane.statuses()).toEqual({ completed: 10 });
  });

  test('completes payments that nobody took if recording has no fence: that bug is found', async () => {
    const lane = await world();
    const payments = await recordBesideZombie(lane, (deps) => recordingUnfenced(deps, lane.pool));
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });
});

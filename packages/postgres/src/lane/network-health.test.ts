import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld } from '../testing/lane-world.ts';
import { measureLanes } from './measure-lanes.ts';
import { findWithdrawn, loadLaneFacts, recordFitness, recordHealth, reportHealth } from './network-health.ts';

const NETWORK = 'eip155:84532';

test('a network is withdrawn by a word of settlement, comes back by another, and only changes are news', async () => {
  const { pool } = await createTestDatabase();
  expect(await findWithdrawn(pool)).toEqual(new Map());
  expect(await recordHealth(pool, NETWORK, null)).toBe(true);
  expect(await recordHealth(pool, NETWORK, null)).toBe(false);
  expect(await findWithdrawn(pool)).toEqual(new Map());
  expect(await recordHealth(pool, NETWORK, 'paused')).toBe(true);
  expect(await recordHealth(pool, NETWORK, 'paused')).toBe(false);
  expect(await findWithdrawn(pool)).toEqual(new Map([[NETWORK, 'processor']]));
  expect(await recordHealth(pool, NETWORK, 'out_of_gas')).toBe(true);
  expect(await findWithdrawn(pool)).toEqual(new Map([[NETWORK, 'headers']]));
  expect(await reportHealth(pool)).toMatchObject([{ network: NETWORK, offered: false, reason: 'out_of_gas' }]);
  expect(await recordHealth(pool, NETWORK, null)).toBe(true);
  expect(await findWithdrawn(pool)).toEqual(new Map());
});

test('a network that settlement has not looked at for a minute is withdrawn', async () => {
  const { pool } = await createTestDatabase();
  await recordHealth(pool, NETWORK, null);
  await pool.query("update svc.network_health set checked_at = now() - interval '61 seconds'");
  expect(await findWithdrawn(pool)).toEqual(new Map([[NETWORK, 'all']]));
});

test('what is known of lanes: coins, obstacles and their age, the oldest in flight and in the queue', async () => {
  const lane = await createLaneWorld((await createTestDatabase()).pool);
  const { pool } = lane;
  const { relayer } = lane.lane;
  const lease = await lane.takeLease();
  const poor = { relayer, balanceWei: 5n, condition: 'empty', capped: true } as const;
  expect(await recordFitness(pool, NETWORK, [poor], Date.now())).toEqual([{ relayer, before: 'fine', now: 'empty' }]);
  expect(await recordFitness(pool, NETWORK, [poor], Date.now())).toEqual([]);
  await lane.store.noteObstacle(lease, 'nonce_gap');
  const facts = { condition: 'empty', capped: true, oldestPendingMs: null } as const;
  expect(await loadLaneFacts(pool, NETWORK, Date.now())).toEqual({
    lanes: [{ ...facts, obstacle: 'nonce_gap', obstacleMs: expect.any(Number) }],
    oldestQueuedMs: null,
  });
  const [aged] = (await loadLaneFacts(pool, NETWORK, Date.now() + 6_000)).lanes;
  expect(aged?.obstacleMs).toBeGreaterThanOrEqual(6_000);
  expect(aged?.obstacleMs).toBeLessThan(60_000);
  await lane.queue(2);
  expect((await loadLaneFacts(pool, NETWORK, Date.now() + 60_000)).oldestQueuedMs).toBeGreaterThanOrEqual(59_000);
  await pool.query('update svc.settlements set retry_at = now()');
  expect((await loadLaneFacts(pool, NETWORK, Date.now())).oldestQueuedMs).toBeNull();
});

test('how settlement stands in numbers: networks, lanes by condition, what waits at each stage and how long', async () => {
  const lane = await createLaneWorld((await createTestDatabase()).pool);
  const { pool } = lane;
  const stage = (name: string, count: number, oldestSeconds: unknown = 0) => ({
    network: NETWORK,
    stage: name,
    count,
    oldestSeconds,
  });
  expect(await measureLanes(pool, Date.now())).toEqual({
    networks: [],
    lanes: [{ network: NETWORK, duty: 'settle', condition: 'fine', count: 1 }],
    stages: expect.arrayContaining([stage('queued', 0), stage('pending', 0), stage('held', 0)]),
    strandedTransfers: [],
  });
  await lane.queue(3);
  await recordHealth(pool, NETWORK, 'stuck');
  await pool.query(
    "update svc.settlements set status = 'held' where number = (select min(number) from svc.settlements)",
  );
  const seen = await measureLanes(pool, Date.now() + 60_000);
  expect(seen.networks).toEqual([{ network: NETWORK, reason: 'stuck', checkedSeconds: expect.any(Number) }]);
  const old = seen.stages.find((each) => each.stage === 'queued');
  expect(old).toEqual(stage('queued', 2, expect.any(Number)));
  expect(old?.oldestSeconds).toBeGreaterThan(59);
  expect(seen.stages).toContainEqual(stage('held', 1, expect.any(Number)));
});

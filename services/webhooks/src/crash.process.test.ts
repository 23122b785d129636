import { insertRow } from '@svc-pay/postgres/testing';
import { describe, expect, test } from 'vitest';
import { startNameServer } from './testing/name-server.ts';
import { startReceiver, status } from './testing/receiver.ts';
import { type ProcessWorld, startProcessWorld } from './testing/webhooks-process.ts';

const nameServer = await startNameServer();
// For repeated crashes under load, combined with other faults, see tests/chaos/webhooks.
const world: ProcessWorld = await startProcessWorld({ SVC_WEBHOOKS_DNS_SERVERS: nameServer.address });
const { pool, shop } = world;
const patience = { timeout: 20_000, interval: 20 };

async function attemptsOf(event: string) {
  const { rows } = await pool.query<{ attempt: number; outcome: string; error: string | null }>(
    'select attempt, outcome, error from svc.delivery_attempts where event_id = $1 order by attempt',
    [event],
  );
  return rows;
}
const statusOf = async (event: string) => {
  const { rows } = await pool.query<{ status: string }>('select status from svc.deliveries where event_id = $1', [
    event,
  ]);
  return rows[0]?.status;
};
const isLeased = async (event: string) => {
  const { rows } = await pool.query('select from svc.deliveries where event_id = $1 and lease_until is not null', [
    event,
  ]);
  return rows.length === 1;
};
const lost = { attempt: 1, outcome: 'our_fault', error: expect.stringContaining('ended before it recorded') };

test('an event is at its endpoint within a second of its commit', async () => {
  const receiver = await startReceiver();
  const endpoint = await shop.addEndpoint({ url: receiver.url });
  const waits: number[] = [];
  for (let index = 0; index < 40; index += 1) {
    const before = receiver.requests.length;
    await shop.emit([endpoint], { atMs: Date.now() });
    const committedMs = performance.now();
    await expect.poll(() => receiver.requests.length, { timeout: 5_000, interval: 1 }).toBe(before + 1);
    waits.push((receiver.requests.at(-1)?.atMs ?? 0) - committedMs);
    // Some events arrive while the shard is awake, others after it fell asleep.
    if (index % 8 === 7) await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  const sorted = waits.toSorted((one, other) => one - other);
  console.log(`commit to first byte: median ${sorted[20]?.toFixed(0)} ms, longest ${sorted.at(-1)?.toFixed(0)} ms`);
  // A busy machine may delay one or two. An event without a wake-up would wait for seconds.
  expect(sorted.at(-4)).toBeLessThan(1_000);
}, 60_000);

/** When nothing was due for a while, half a second passes between two looks for deliveries; otherwise less than half of it. */
const CALM_MS = 450;

/** Time between looks that follow each other, by the clock of the database. Looks between two calls may be missed. */
function watchLooks() {
  const looks: number[] = [];
  return async () => {
    const { rows } = await pool.query<{ ms: number | null }>(
      `select max(extract(epoch from query_start) * 1000)::float8 as ms from pg_stat_activity
       where application_name = 'svc-webhooks' and datname = current_database() and query like '%svc.event_replays%as replay%'`,
    );
    const ms = rows[0]?.ms ?? 0;
    if (ms > (looks.at(-1) ?? 0)) looks.push(ms);
    return looks.slice(1).map((each, index) => each - (looks[index] ?? 0));
  };
}

async function untilCalm() {
  const read = watchLooks();
  const areCalm = async () => (await read()).slice(-4).filter((ms) => ms > CALM_MS).length === 4;
  await expect.poll(areCalm, patience).toBe(true);
}

test('after a pause an event still arrives within a second', async () => {
  const receiver = await startReceiver();
  const endpoint = await shop.addEndpoint({ url: receiver.url });
  await untilCalm();
  await shop.emit([endpoint], { atMs: Date.now() });
  const committedMs = performance.now();
  await expect.poll(() => receiver.requests.length, { timeout: 5_000, interval: 1 }).toBe(1);
  expect((receiver.requests[0]?.atMs ?? 0) - committedMs).toBeLessThan(1_000);
}, 60_000);

test('after a pause the end of a payment brings a look sooner than the next one by itself', async () => {
  await insertRow(pool, 'intents');
  await untilCalm();
  const read = watchLooks();
  const nearest = async () => {
    // As the commit that ends a payment does. Nothing is due, so that no look makes the next one come sooner.
    await pool.query(`update svc.intents set status = case status when 'failed' then 'canceled' else 'failed' end`);
    return Math.min(...(await read()));
  };
  await expect.poll(nearest, patience).toBeLessThan(CALM_MS);
}, 60_000);

describe('killed', () => {
  test('before it sent: the delivery arrives once', async () => {
    const receiver = await startReceiver();
    nameServer.names.set('held.test', 'silent');
    const endpoint = await shop.addEndpoint({ url: `http://held.test:${receiver.port}/`, timeoutSeconds: 30 });
    const event = await shop.emit([endpoint], { atMs: Date.now() });
    await expect.poll(() => isLeased(event), patience).toBe(true);
    await world.kill();
    nameServer.names.set('held.test', ['127.0.0.1']);
    await world.endLeases();
    await world.start();
    await expect.poll(() => statusOf(event), patience).toBe('succeeded');
    expect(receiver.requests).toHaveLength(1);
    expect(await attemptsOf(event)).toMatchObject([lost, { attempt: 2, outcome: 'succeeded' }]);
  });

  test('after it sent and before it recorded: it arrives again, and the log says why', async () => {
    const receiver = await startReceiver(() => {});
    const endpoint = await shop.addEndpoint({ url: receiver.url, timeoutSeconds: 30 });
    const event = await shop.emit([endpoint], { atMs: Date.now() });
    await expect.poll(() => receiver.requests.length, patience).toBe(1);
    await world.kill();
    receiver.answer = status(200);
    await world.endLeases();
    await world.start();
    await expect.poll(() => statusOf(event), patience).toBe('succeeded');
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([event, event]);
    expect(await attemptsOf(event)).toMatchObject([lost, { attempt: 2, outcome: 'succeeded' }]);
  });

  test('in the middle of a claim: nothing is lost', async () => {
    const receiver = await startReceiver();
    const endpoint = await shop.addEndpoint({ url: receiver.url });
    const holder = await pool.connect();
    await holder.query('begin');
    // The claim statement writes lost attempts, so this lock blocks it.
    await holder.query('lock table svc.delivery_attempts in share mode');
    const events = await Promise.all(Array.from({ length: 20 }, () => shop.emit([endpoint], { atMs: Date.now() })));
    const claiming = async (wait: string) => {
      const { rows } = await pool.query(
        `select from pg_stat_activity
         where state = 'active' and query like '%picked%' and datname = current_database() and pid <> pg_backend_pid()
           and coalesce(wait_event_type, '') like $1`,
        [wait],
      );
      return rows.length;
    };
    await expect.poll(() => claiming('Lock'), patience).toBeGreaterThan(0);
    await world.kill();
    await holder.query('rollback');
    holder.release();
    await expect.poll(() => claiming('%'), patience).toBe(0);
    await world.endLeases();
    await world.start();
    for (const event of events) await expect.poll(() => statusOf(event), patience).toBe('succeeded');
    const arrived = receiver.requests.map(({ headers }) => String(headers['webhook-id']));
    expect(arrived.toSorted()).toEqual(events.toSorted());
  });
});

test('an engine that lost all its data is told again by itself, and deliveries go on', async () => {
  const receiver = await startReceiver();
  const endpoint = await shop.addEndpoint({ url: receiver.url });
  await world.restartEngineWithoutData();
  const event = await shop.emit([endpoint], { atMs: Date.now() });
  await expect.poll(() => statusOf(event), patience).toBe('succeeded');
  expect(receiver.requests).toHaveLength(1);
  const metrics = await (await fetch(`${world.url()}/metrics`)).text();
  expect(metrics).toMatch(/^delivery_attempts_total\{mode="test",outcome="succeeded"\} \d+$/m);
});

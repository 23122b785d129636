import { createDeliveryStore } from '@svc-pay/postgres/webhooks-service';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { startDeliveryWorld } from '../testing/delivery-world.ts';
import { pileDeliveries } from '../testing/pile-deliveries.ts';

const STORED = 5_000;
const TAKEN = 20;
const FLOODED = 60;
const EACH = 100;

/** Number of index entries and table rows of deliveries and events that were read so far. */
async function entriesRead(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ read: string }>(`
    select sum(s.idx_tup_fetch + s.seq_tup_read) as read from pg_stat_user_tables s
    where s.relname like 'deliveries%' or s.relname like 'events%'`);
  return Number(rows[0]?.read);
}

test('what is due is found, taken and recorded by its keys, also by plans that were made while the tables were empty', async () => {
  const world = await startDeliveryWorld();
  // One connection, so that the plans made below are the ones used later.
  const pool = world.servicePool;
  pool.options.max = 1;
  const store = createDeliveryStore(pool);
  const endpoint = await world.shop.addEndpoint({ url: 'http://127.0.0.1:9' });
  const { accountId } = world.shop;
  const shard = { drain: 'test', index: 0, count: 1 };
  const wanted = [{ accountId, mode: 'test' as const, endpointId: endpoint.id, room: TAKEN, keptRoom: 1 }];
  const deliver = async () => {
    await store.findDueEndpoints(shard, ['test'], world.clock.nowMs());
    await store.findFreshEndpoints(shard, ['test'], world.clock.nowMs());
    const claimed = await store.leaseDeliveries(wanted, world.clock.nowMs(), 60_000);
    const report = await store.recordDeliveries(
      claimed.map((delivery) => ({ delivery, verdict: { next: 'succeeded' }, record: RECORD })),
      world.clock.nowMs(),
    );
    return { claimed: claimed.length, recorded: report.count };
  };
  await world.shop.emit([endpoint]);
  expect(await deliver()).toEqual({ claimed: 1, recorded: 1 });

  await pileDeliveries(world, endpoint.id, STORED, world.clock.nowMs());
  const flush = async () => {
    for (const each of [pool, world.pool]) await each.query('select pg_stat_force_next_flush()');
    await pool.query('select 1');
  };
  await flush();
  const before = await entriesRead(world.pool);
  expect(await deliver()).toEqual({ claimed: TAKEN, recorded: TAKEN });
  await flush();
  // Two queries of 500 rows at the head of the queue, and a handful of rows per delivery.
  expect((await entriesRead(world.pool)) - before).toBeLessThan(1_000 + 10 * TAKEN);
});

test('a payment event behind a flood is found by its key, also by plans that were made while all deliveries went first', async () => {
  const world = await startDeliveryWorld();
  const pool = world.servicePool;
  pool.options.max = 1;
  const store = createDeliveryStore(pool);
  const endpoint = await world.shop.addEndpoint({ url: 'http://127.0.0.1:9' });
  const { accountId } = world.shop;
  const lease = (room: number, keptRoom: number) =>
    store.leaseDeliveries(
      [{ accountId, mode: 'test', endpointId: endpoint.id, room, keptRoom }],
      world.clock.nowMs(),
      60_000,
    );
  await pileDeliveries(world, endpoint.id, 1_000, world.clock.nowMs());
  await world.pool.query("update svc.deliveries set goes_first = true, next_at = next_at + interval '1 hour'");
  await world.pool.query('analyze svc.deliveries');
  await world.shop.emit([endpoint], { type: 'payment.completed' });
  expect(await lease(TAKEN, 1)).toHaveLength(1);

  world.clock.move(1_000);
  await pileDeliveries(world, endpoint.id, STORED, world.clock.nowMs());
  await world.shop.emit([endpoint], { type: 'payment.completed', atMs: world.clock.nowMs() });
  const flush = async () => {
    for (const each of [pool, world.pool]) await each.query('select pg_stat_force_next_flush()');
    await pool.query('select 1');
  };
  await flush();
  const before = await entriesRead(world.pool);
  const leased = await lease(TAKEN, 1);
  expect(leased.map(({ goesFirst }) => goesFirst).filter(Boolean)).toHaveLength(1);
  await flush();
  expect((await entriesRead(world.pool)) - before).toBeLessThan(10 * TAKEN);
});

test('a walk over endpoints with a flood reads some rows of each, also when the tables were analyzed while nothing was due', async () => {
  const world = await startDeliveryWorld();
  const pool = world.servicePool;
  pool.options.max = 1;
  const store = createDeliveryStore(pool);
  const shard = { drain: 'test', index: 0, count: 1 };
  const endpoints = [];
  for (let made = 0; made < FLOODED; made += 1) {
    endpoints.push(await world.shop.addEndpoint({ url: 'http://127.0.0.1:9' }));
  }
  const [first] = endpoints;
  await pileDeliveries(world, first?.id ?? '', STORED, world.clock.nowMs());
  await world.pool.query("update svc.deliveries set status = 'succeeded', next_at = null, finished_at = now()");
  await world.pool.query('vacuum analyze svc.deliveries');
  expect((await store.walkDueEndpoints(shard, ['test'], world.clock.nowMs(), '')).endpoints).toEqual([]);

  for (const { id } of endpoints) {
    world.clock.move(1);
    await pileDeliveries(world, id, EACH, world.clock.nowMs());
  }
  const flush = async () => {
    for (const each of [pool, world.pool]) await each.query('select pg_stat_force_next_flush()');
    await pool.query('select 1');
  };
  await flush();
  const before = await entriesRead(world.pool);
  const walked = await store.walkDueEndpoints(shard, ['test'], world.clock.nowMs(), '');
  expect(walked.endpoints).toHaveLength(FLOODED);
  await flush();
  expect((await entriesRead(world.pool)) - before).toBeLessThan(10 * FLOODED);
});

const RECORD = {
  outcome: 'succeeded',
  responseStatus: 200,
  address: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  totalMs: 1,
  requestHeaders: {},
  responseHeaders: {},
  responseExcerpt: null,
  error: null,
  startedAtMs: 0,
  retryAfterMs: null,
} as const;

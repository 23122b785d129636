import type { LeasedDelivery } from '@svc-pay/core';
import { sampleReport } from '@svc-pay/core/testing';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { insertRows } from '../testing/sample-rows.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { isDue } from './is-due.ts';

const LEASE_MS = 60_000;
const ENDPOINTS = 50;
const PER_WAVE = 100;
/** As many as one process sends at once. */
const MOST_LEASED = 512;
const WAVES = 10;
const SHARD = { drain: 'deliveries', index: 0, count: 1 };
const MODES = ['test'] as const;
const START_MS = Date.now();

type World = {
  readonly pool: pg.Pool;
  readonly accountId: string;
  readonly endpoints: readonly string[];
};
let world: World;
beforeEach(async () => {
  const { pool } = await createTestDatabase();
  await pool.query('create extension pg_walinspect');
  const { accountId } = await seedMerchant(pool);
  const endpoints = Array.from({ length: ENDPOINTS }, () => newId('endpoint', START_MS));
  await insertRows(
    pool,
    'endpoints',
    endpoints.map((id) => ({ account_id: accountId, id })),
  );
  world = { pool, accountId, endpoints };
});

const claimAll = ({ pool, accountId, endpoints }: World, nowMs: number) =>
  createDeliveryStore(pool).leaseDeliveries(
    endpoints.map((endpointId) => ({ accountId, mode: 'test', endpointId, room: 20, keptRoom: 0 })),
    nowMs,
    LEASE_MS,
  );

async function emit({ pool, accountId, endpoints }: World, count: number, atMs: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    account_id: accountId,
    event_id: newId('event', atMs),
    endpoint_id: endpoints[index % ENDPOINTS],
    next_at: new Date(atMs),
    created_at: new Date(atMs),
    goes_first: true,
  }));
  await insertRows(
    pool,
    'events',
    rows.map(({ account_id, event_id, created_at }) => ({ account_id, id: event_id, created_at })),
  );
  await insertRows(pool, 'deliveries', rows);
}

type Written = { readonly bytes: number; readonly indexEntries: number };

/** What the work writes into the log of the database, and how many entries of indexes are among it. */
async function written(pool: pg.Pool, work: () => Promise<unknown>): Promise<Written> {
  // The position of a record that is flushed: only what is flushed can be read.
  const at = async () =>
    (await pool.query<{ at: string }>(`select pg_logical_emit_message(false, 'svc', '', true) as at`)).rows[0]?.at;
  const from = await at();
  await work();
  const { rows } = await pool.query<Written>(
    `select coalesce(sum(record_length), 0)::integer as bytes,
       count(*) filter (where resource_manager = 'Btree' and record_type ~ '^(INSERT|SPLIT)_[LR]')::integer as "indexEntries"
     from (
       select distinct on (start_lsn) start_lsn, resource_manager, record_type, record_length
       from pg_get_wal_block_info($1, $2) where reldatabase = (select oid from pg_database where datname = current_database())
     ) record`,
    [from, await at()],
  );
  return rows[0] ?? { bytes: 0, indexEntries: 0 };
}

async function hotUpdates(pool: pg.Pool) {
  const client = await pool.connect();
  try {
    await client.query('select pg_stat_force_next_flush()');
  } finally {
    client.release();
  }
  const { rows } = await pool.query<{ updates: number; hot: number }>(
    `select sum(n_tup_upd)::integer as updates, sum(n_tup_hot_upd)::integer as hot
     from pg_stat_user_tables where relname like 'deliveries\\_%'`,
  );
  return rows[0];
}

test('a claim writes no index entry, and its version stays in the page of the delivery', async () => {
  const { pool } = world;
  const store = createDeliveryStore(pool);
  const claims: Written[] = [];
  for (let wave = 1; wave <= WAVES; wave += 1) {
    const nowMs = START_MS + wave;
    await emit(world, PER_WAVE, nowMs);
    let leased: readonly LeasedDelivery[] = [];
    claims.push(await written(pool, async () => void (leased = await claimAll(world, nowMs))));
    expect(leased).toHaveLength(PER_WAVE);
    await store.recordDeliveries(
      leased.map((delivery) => sampleReport(delivery, 200, nowMs)),
      nowMs,
    );
  }
  expect(claims.map(({ indexEntries }) => indexEntries)).toEqual(claims.map(() => 0));
  // With the entries of four indexes it is some 890.
  for (const { bytes } of claims) expect(bytes / PER_WAVE).toBeLessThan(250);
  expect(await hotUpdates(pool)).toEqual({ updates: 2 * WAVES * PER_WAVE, hot: WAVES * PER_WAVE });
});

test('what hanging endpoints hold is passed over by a look that reads little more than its pages', async () => {
  const { pool } = world;
  await emit(world, MOST_LEASED, START_MS);
  expect(await claimAll(world, START_MS)).toHaveLength(MOST_LEASED);
  await emit(world, 1, START_MS);
  const store = createDeliveryStore(pool);
  const found = await store.findDueEndpoints(SHARD, MODES, START_MS);
  expect(found).toMatchObject({ all: true, endpoints: [{ endpointId: world.endpoints[0] }] });
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, buffers, timing off, summary off)
     select from svc.deliveries d where d.status = 'pending' and ${isDue('d', 'now()')} order by d.next_at limit 500`,
  );
  const hits = /shared hit=(\d+)/.exec(rows.map((row) => row['QUERY PLAN']).join('\n'))?.[1];
  expect(Number(hits)).toBeLessThan(2 * MOST_LEASED);
});

test('months that are made later have room for claims in their pages', async () => {
  const { pool } = world;
  await pool.query("select svc.ensure_partitions(0, 0, '2041-03-01Z')");
  const { rows } = await pool.query<{ name: string; options: string[] | null }>(
    `select relname as name, reloptions as options from pg_inherits join pg_class on oid = inhrelid
     where inhparent in ('svc.deliveries'::regclass, 'svc.events'::regclass) order by relname`,
  );
  expect(rows.map(({ name }) => name)).toContain('deliveries_2041_03');
  for (const { name, options } of rows) {
    expect({ name, options }).toEqual({ name, options: name.startsWith('deliveries') ? ['fillfactor=50'] : null });
  }
});

describe('beside a process of the release before', () => {
  // Statements of that release: it reads and moves `next_at` alone.
  const takeOver = `
    insert into svc.delivery_shards as shard (drain, shard, epoch, awake, heartbeat_at) values ($1, $2, 1, true, $3)
    on conflict (drain, shard) do update set epoch = shard.epoch + 1, awake = true, heartbeat_at = $3`;
  const claimOlder = `
    update svc.deliveries d
    set next_at = $2, lease_until = $2, fence = fence + 1, attempt_count = attempt_count + 1,
      uncharged_count = uncharged_count + (lease_until is not null)::integer
    where status = 'pending' and next_at <= $1 returning event_id`;
  const at = (ms: number) => new Date(ms);
  const olderTakesOver = (nowMs: number) => world.pool.query(takeOver, [SHARD.drain, SHARD.index, at(nowMs)]);
  const olderClaims = async (nowMs: number) =>
    (await world.pool.query(claimOlder, [at(nowMs), at(nowMs + LEASE_MS)])).rowCount;

  test('neither claims what the other has leased, whoever works first', async () => {
    const store = createDeliveryStore(world.pool);
    await olderTakesOver(START_MS);
    await emit(world, 10, START_MS);
    expect(await olderClaims(START_MS)).toBe(10);
    expect(await claimAll(world, START_MS)).toEqual([]);
    await emit(world, 10, START_MS);
    expect(await claimAll(world, START_MS)).toHaveLength(10);
    expect(await olderClaims(START_MS)).toBe(0);
    // The shard is this release's now; the older process may be within its turn still.
    await store.takeOverShard(SHARD, START_MS + 1);
    await emit(world, 10, START_MS + 1);
    expect(await claimAll(world, START_MS + 1)).toHaveLength(10);
    expect(await olderClaims(START_MS + 1)).toBe(0);
  });

  test('what an older process leased and lost is due when its lease ends, as a lost attempt', async () => {
    await olderTakesOver(START_MS);
    await emit(world, 3, START_MS);
    await olderClaims(START_MS);
    expect(await claimAll(world, START_MS + LEASE_MS - 1)).toEqual([]);
    const again = await claimAll(world, START_MS + LEASE_MS);
    expect(again.map(({ attempt, chargedBefore }) => ({ attempt, chargedBefore }))).toEqual(
      again.map(() => ({ attempt: 2, chargedBefore: 0 })),
    );
    expect(again).toHaveLength(3);
  });

  test('a minute after it was seen last, a claim leaves the queue’s order alone', async () => {
    const store = createDeliveryStore(world.pool);
    await olderTakesOver(START_MS);
    await store.takeOverShard(SHARD, START_MS);
    const laterMs = START_MS + 60_000;
    await emit(world, 10, laterMs);
    await claimAll(world, laterMs);
    const { rows } = await world.pool.query('select from svc.deliveries where next_at = $1 and lease_until > $1', [
      at(laterMs),
    ]);
    expect(rows).toHaveLength(10);
  });
});

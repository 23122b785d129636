import { isOpenFor, type OpenWork, type RestingWatcher } from '@svc-pay/core';
import { evmNetwork, type NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { insertRow, insertRows, NOW, SAMPLES } from '../testing/sample-rows.ts';
import { loadOpenWork } from './load-open-work.ts';

const NETWORK = evmNetwork(84_532);
const OTHER = evmNetwork(8_453);
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' as NetworkId;
const RELAYER = SAMPLES.relayers.address;
const now = NOW.getTime();
const HOUR_SECONDS = 3_600;
const expiring = Math.floor(now / 1_000) + 60;
const valid = Math.floor(now / 1_000) + HOUR_SECONDS;

const WATCHERS: readonly RestingWatcher[] = [
  'authorizations',
  'comparison',
  'direct',
  'finality',
  'gas-budget',
  'health',
  'held',
  'refunds',
];
const wokenOn = (network: NetworkId, work: OpenWork) => WATCHERS.filter((watcher) => isOpenFor(watcher, network, work));
const load = (pool: pg.Pool) => loadOpenWork(pool, [NETWORK, OTHER, SOLANA], now);

const LANES: readonly RestingWatcher[] = ['gas-budget', 'health'];
const final = { status: 'finalized', block_number: 9, block_hash: '0x9' };
const authorization = (change: object) => (pool: pg.Pool) => insertRow(pool, 'authorizations', { ...change });

test.each<[string, (pool: pg.Pool) => Promise<unknown>, readonly RestingWatcher[]]>([
  ['a queued payment', (pool) => insertRow(pool, 'settlements'), LANES],
  ['a held payment', (pool) => insertRow(pool, 'settlements', { status: 'held' }), ['held']],
  ['a signed batch', (pool) => insertRow(pool, 'batches'), ['finality', ...LANES]],
  ['a mined batch', (pool) => insertRow(pool, 'batches', { ...final, status: 'mined' }), ['finality']],
  ['a final batch that is not compared', (pool) => insertRow(pool, 'batches', final), ['comparison']],
  ['a final batch that is compared', (pool) => insertRow(pool, 'batches', { ...final, compared: true }), []],
  ['an authorization that expires soon', authorization({ valid_before: expiring }), ['authorizations']],
  ['an authorization that stays valid', authorization({ valid_before: valid }), []],
  ['an up-to authorization', authorization({ valid_before: valid, upto: true }), ['authorizations']],
  ['a direct authorization', authorization({ valid_before: valid, direct: true }), ['direct']],
  ['an authorization that is closed', authorization({ valid_before: expiring, closed_at: NOW }), []],
])('%s wakes the watchers that it is for, and those of no other network', async (_, write, woken) => {
  const { pool } = await createTestDatabase();
  await insertRow(pool, 'relayers', { address: RELAYER });
  expect(wokenOn(NETWORK, await load(pool))).toEqual([]);
  await write(pool);
  const work = await load(pool);
  expect(wokenOn(NETWORK, work)).toEqual(woken.toSorted());
  expect(wokenOn(OTHER, work)).toEqual([]);
});

test('where no time ends an authorization, every open one wakes the watcher', async () => {
  const { pool } = await createTestDatabase();
  await insertRow(pool, 'authorizations', { network: SOLANA, valid_before: '9000000000000000000' });
  expect(wokenOn(SOLANA, await load(pool))).toEqual(['authorizations']);
});

test('an intent is overdue from its expiry on, until it is canceled', async () => {
  const { pool } = await createTestDatabase();
  expect(await load(pool)).toMatchObject({ overdueIntent: false, unsealedAudit: false });
  await insertRow(pool, 'intents', { expires_at: new Date(now + 1_000) });
  expect(await load(pool)).toMatchObject({ overdueIntent: false });
  expect(await loadOpenWork(pool, [NETWORK], now + 1_000)).toMatchObject({ overdueIntent: true });
  await pool.query("update svc.intents set status = 'canceled'");
  expect(await loadOpenWork(pool, [NETWORK], now + 1_000)).toMatchObject({ overdueIntent: false });
});

test('an unsealed audit entry is open, whatever networks are asked about', async () => {
  const { pool } = await createTestDatabase();
  await insertRow(pool, 'audit');
  expect(await loadOpenWork(pool, [NETWORK], now)).toMatchObject({ unsealedAudit: true });
});

test('a network that was not asked about is open for every watcher', async () => {
  const { pool } = await createTestDatabase();
  expect(wokenOn(evmNetwork(1), await load(pool))).toEqual(WATCHERS);
});

test('the look reads few pages, however many rows are over or wait for their time', async () => {
  const { pool } = await createTestDatabase();
  await insertRow(pool, 'relayers');
  const many = Array.from({ length: 2_000 }, (_, index) => index);
  const key = (index: number) => Buffer.from(index.toString(16).padStart(64, '0'), 'hex');
  const settled = many.map((index) => ({
    claim_key: key(index),
    intent_id: `pi_${index}`,
    valid_before: valid + index,
  }));
  for (let from = 0; from < many.length; from += 500) {
    await insertRows(pool, 'authorizations', settled.slice(from, from + 500));
    await insertRows(
      pool,
      'settlements',
      many.slice(from, from + 500).map((index) => ({
        payment_id: `pay_${index}`,
        status: 'completed',
        relayer: RELAYER,
        batch_id: `bat_${index}`,
      })),
    );
    await insertRows(
      pool,
      'batches',
      many
        .slice(from, from + 500)
        .map((index) => ({ ...final, id: `bat_${index}`, nonce: index, compared: true, transaction_id: `0x${index}` })),
    );
  }
  await pool.query('vacuum analyze');
  const client = await pool.connect();
  try {
    await client.query("set plan_cache_mode = 'force_generic_plan'");
    await client.query('set enable_seqscan = off');
    const text: string[] = [];
    const probe = {
      query: async (statement: { text: string; values: readonly unknown[] }) => {
        const explained = await client.query<{ 'QUERY PLAN': string }>({
          text: `explain (analyze, buffers, costs off, timing off) ${statement.text}`,
          values: [...statement.values],
        });
        text.push(...explained.rows.map((row) => row['QUERY PLAN']));
        return { rows: [] };
      },
    };
    await loadOpenWork(probe as never, [NETWORK], now);
    const pages = Number(/Buffers: shared hit=(\d+)/.exec(text.join('\n'))?.[1]);
    const removed = text.flatMap((line) => /Rows Removed by Filter: (\d+)/.exec(line)?.[1] ?? []).map(Number);
    expect(Math.max(0, ...removed)).toBeLessThan(10);
    expect(pages).toBeLessThan(150);
  } finally {
    client.release();
  }
});

import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { describe, expect, test } from 'vitest';
import { testStoreContract } from '../testing/store-contract.ts';
import { createDeduplicator } from './deduplicator.ts';
import { createPostgresStore, POSTGRES_EVENT_TABLE } from './postgres-store.ts';

const { pool } = await createTestDatabase({ from: 'empty' });
await pool.query(POSTGRES_EVENT_TABLE);
await pool.query(POSTGRES_EVENT_TABLE);
const store = createPostgresStore(pool);

describe('the Postgres store keeps the contract', () => {
  testStoreContract(() => ({ store, passMs: (ms) => sleep(ms + 20) }), 200);
});

test('over several connections, work runs once', async () => {
  const { once } = createDeduplicator({ store });
  let runs = 0;
  const deliver = () => once({ id: 'evt_once' }, async () => void (await sleep(20), (runs += 1)));
  const first = await Promise.all(Array.from({ length: 8 }, deliver));
  expect(first.filter((result) => result.ok && result.ran)).toHaveLength(1);
  expect(await deliver()).toEqual({ ok: true, ran: false });
  expect(runs).toBe(1);
});

test('it forgets what was done long ago, and nothing that is held', async () => {
  await pool.query('delete from svc_pay_events');
  await store.complete('evt_old');
  await store.complete('evt_new');
  await store.claim('evt_held', 'one', 60_000);
  await pool.query(`update svc_pay_events set done_at = now() - interval '40 days' where event_id = 'evt_old'`);
  expect(await store.forget(31)).toBe(1);
  expect(await store.claim('evt_new', 'two', 60_000)).toBe('done');
  expect(await store.claim('evt_held', 'two', 60_000)).toBe('held');
  expect(await store.claim('evt_old', 'two', 60_000)).toBe('claimed');
});

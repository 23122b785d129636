import { createDenyList } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { DENY_LIST, watchIntents } from '../intent/watch-intents.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { newOperation } from '../testing/new-operation.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { addDenied, listDenied, type NewDenial, removeDenied } from './change-denied.ts';
import { loadDenied } from './load-denied.ts';

const { pool, url } = await createTestDatabase();
let nowMs = Date.now();
const { actor } = newOperation(pool);
/** Each a millisecond later, so that audit entries are in order. */
const operation = () => newOperation(pool, (nowMs += 1));
const denial = (change: Partial<NewDenial> = {}): NewDenial => ({
  kind: 'address',
  value: '192.0.2.0/24',
  reference: 'address:1',
  reason: 'flood of creates',
  expiresAtMs: null,
  ...change,
});
const audited = async () =>
  (await pool.query('select account_id, mode, actor, action, target, detail from svc.audit order by id desc limit 1'))
    .rows[0];

test('a change is announced, read once, and then again only after the next one', async () => {
  const first = await loadDenied(pool, null);
  expect(first).toMatchObject({ entries: [] });
  expect(await loadDenied(pool, first!.version)).toBeUndefined();
  let told = 0;
  const watcher = watchIntents(url, () => {});
  watcher.watch(DENY_LIST, () => (told += 1));
  await expect.poll(() => told).toBe(1);
  expect(await addDenied(operation(), denial())).toBe(true);
  await expect.poll(() => told).toBeGreaterThan(1);
  await watcher.close();

  const second = await loadDenied(pool, first!.version);
  expect(second).toMatchObject({ entries: [{ kind: 'address', value: '192.0.2.0/24', expiresAtMs: null }] });
  expect(await loadDenied(pool, second!.version)).toBeUndefined();
  expect(await removeDenied(operation(), denial())).toBe(true);
  expect(await removeDenied(operation(), denial())).toBe(false);
  expect(await loadDenied(pool, second!.version)).toMatchObject({ entries: [] });
});

test('each change is in the audit record with its reason, a key’s under its account, and no address is', async () => {
  await insertRow(pool, 'accounts');
  await insertRow(pool, 'account_modes');
  await insertRow(pool, 'api_keys', { id: 'key_k' });
  expect(await addDenied(operation(), denial({ kind: 'key', value: 'key_k', reference: 'key_k' }))).toBe(true);
  expect(await audited()).toMatchObject({
    account_id: 'acct_a',
    mode: 'test',
    actor,
    action: 'deny.added',
    target: 'key_k',
    detail: { kind: 'key', reason: 'flood of creates', expiresAt: null },
  });
  expect(await addDenied(operation(), denial({ kind: 'key', value: 'key_none' }))).toBe(false);
  await addDenied(operation(), denial());
  expect(await audited()).toMatchObject({ account_id: 'platform', target: 'address:1' });
  await removeDenied(operation(), denial());
  expect(await audited()).toMatchObject({ account_id: 'platform', action: 'deny.removed', target: 'address:1' });
  const { rows } = await pool.query("select from svc.audit entry where entry::text like '%192.0.2%'");
  expect(rows).toEqual([]);
});

test('an entry ends by itself; adding it again changes its end and its reason', async () => {
  const payer = `0x${'ab'.repeat(20)}`;
  const one = denial({ kind: 'payer', value: payer, expiresAtMs: nowMs + 60_000 });
  await addDenied(operation(), one);
  await addDenied(operation(), { ...one, reason: 'burns gas', expiresAtMs: nowMs + 120_000 });
  expect((await listDenied(pool, nowMs)).filter(({ kind }) => kind === 'payer')).toMatchObject([
    { value: payer, reason: 'burns gas', actor, expiresAtMs: nowMs + 120_000 },
  ]);
  const { entries } = (await loadDenied(pool, null))!;
  expect(createDenyList(entries, nowMs).deniesPayer(payer)).toBe(true);
  expect(createDenyList(entries, nowMs + 120_000).deniesPayer(payer)).toBe(false);
  expect((await listDenied(pool, nowMs + 120_000)).filter(({ kind }) => kind === 'payer')).toEqual([]);
  await pool.query("update svc.denied set expires_at = now() - interval '31 days' where kind = 'payer'");
  await addDenied(operation(), denial());
  expect((await pool.query("select from svc.denied where kind = 'payer'")).rows).toEqual([]);
});

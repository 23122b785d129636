import { authenticate, type Mode, newKey } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { newAccount, newOperation, OPERATION_MS, TEST_SECRETS } from '../testing/new-operation.ts';
import { createKey } from './create-key.ts';
import { findKey } from './find-key.ts';
import { listAccounts } from './list-accounts.ts';
import { listKeys } from './list-keys.ts';
import { revokeKey } from './revoke-key.ts';
import { rollKey } from './roll-key.ts';
import { signWithKey } from './sign-with-key.ts';

const { pool } = await createTestDatabase();
const HOUR_MS = 3_600_000;
const at = (nowMs: number) => newOperation(pool, nowMs);
const now = at(OPERATION_MS);

const works = async (text: string, nowMs: number) =>
  (
    await authenticate(
      { clock: { nowMs: () => nowMs }, pepper: TEST_SECRETS.pepper, findKey: (index) => findKey(pool, index) },
      text,
    )
  ).ok;
const secretKey = (accountId: Parameters<typeof newKey>[1]['accountId'], mode: Mode = 'test', nowMs = OPERATION_MS) =>
  newKey(TEST_SECRETS, { accountId, mode }, 'secret', nowMs);
const signers = async (accountId: string, nowMs = OPERATION_MS) =>
  (await listKeys(pool, { accountId, mode: 'test' }, nowMs)).filter(({ signs }) => signs).map(({ id }) => id);
const actions = async (accountId: string) => {
  const { rows } = await pool.query('select action, actor, detail from svc.audit where account_id = $1', [accountId]);
  return rows as { action: string; actor: string; detail: unknown }[];
};

test('a new account has both modes, and each of its keys opens exactly its own mode', async () => {
  const { id, keys } = await newAccount(now, 'Café Übersee');
  expect((await listAccounts(pool, OPERATION_MS)).find((account) => account.id === id)).toMatchObject({
    name: 'Café Übersee',
    status: 'active',
    usableKeys: 4,
  });
  for (const { text } of keys) expect(await works(text, OPERATION_MS)).toBe(true);
  const stored = await listKeys(pool, { accountId: id }, OPERATION_MS);
  expect(stored.filter(({ signs }) => signs).map(({ mode, kind }) => `${mode} ${kind}`)).toEqual([
    'test secret',
    'live secret',
  ]);
});

test('no secret key is in the database in the clear, nor in the record of its making', async () => {
  const { id, secret } = await newAccount(now);
  const { rows } = await pool.query(
    `select api_keys::text as row from svc.api_keys where account_id = $1
     union all select audit::text from svc.audit where account_id = $1`,
    [id],
  );
  const dump = rows.map(({ row }) => row).join('\n');
  expect(dump).not.toContain(secret.text.slice(8, -6));
  expect(dump).not.toContain(Buffer.from(secret.text).toString('hex'));
});

test('a rolled key goes on signing and working until its overlap ends; then the new one signs', async () => {
  const { id, secret } = await newAccount(now);
  const fresh = secretKey(id);
  expect(await rollKey(now, fresh.record, HOUR_MS)).toMatchObject({ ok: true, expiresAtMs: OPERATION_MS + HOUR_MS });
  expect(await signers(id)).toEqual([secret.record.id]);
  for (const { text } of [secret, fresh]) expect(await works(text, OPERATION_MS + HOUR_MS - 1)).toBe(true);
  expect(await signers(id, OPERATION_MS + HOUR_MS)).toEqual([fresh.record.id]);
  expect(await works(secret.text, OPERATION_MS + HOUR_MS)).toBe(false);
  expect(await works(fresh.text, OPERATION_MS + HOUR_MS)).toBe(true);
});

test('without an overlap the old key is over at once and the new one signs', async () => {
  const { id, secret } = await newAccount(now);
  const fresh = secretKey(id);
  await rollKey(now, fresh.record, 0);
  expect(await signers(id)).toEqual([fresh.record.id]);
  expect(await works(secret.text, OPERATION_MS)).toBe(false);
});

test('a second roll waits for the first, unless the merchant has switched or the overlap is over', async () => {
  const { id, secret } = await newAccount(now);
  const second = secretKey(id);
  await rollKey(now, second.record, HOUR_MS);
  expect(await rollKey(now, secretKey(id).record, HOUR_MS)).toMatchObject({
    ok: false,
    code: 'roll_in_progress',
    keyId: secret.record.id,
  });
  const later = at(OPERATION_MS + 2 * HOUR_MS);
  expect(await rollKey(later, secretKey(id, 'test', later.nowMs).record, HOUR_MS)).toMatchObject({
    ok: true,
    rolled: { id: second.record.id },
  });
});

test('ten rolls at once: one wins, and one key signs', async () => {
  const { id } = await newAccount(now);
  const results = await Promise.all(Array.from({ length: 10 }, () => rollKey(now, secretKey(id).record, HOUR_MS)));
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await signers(id)).toHaveLength(1);
  expect(await listKeys(pool, { accountId: id, mode: 'test' }, OPERATION_MS)).toHaveLength(3);
});

test('the signing key changes on request, to a usable secret key only', async () => {
  const { id, secret, keys } = await newAccount(now);
  const other = secretKey(id);
  expect(await createKey(now, other.record)).toEqual({ ok: true, signing: false });
  expect(await signWithKey(now, other.record.id)).toMatchObject({ ok: true, changed: true, before: secret.record.id });
  expect(await signWithKey(now, other.record.id)).toMatchObject({ ok: true, changed: false });
  expect(await signers(id)).toEqual([other.record.id]);
  expect(await signWithKey(now, keys[1]!.record.id)).toEqual({ ok: false, code: 'key_not_secret' });
  await revokeKey(now, secret.record.id);
  expect(await signWithKey(now, secret.record.id)).toEqual({ ok: false, code: 'key_not_usable' });
  expect(await signWithKey(now, 'key_nobody')).toEqual({ ok: false, code: 'key_unknown' });
});

test('a signing key is not revoked before another signs, and a revoked key never works again', async () => {
  const { id, secret } = await newAccount(now);
  expect(await revokeKey(now, secret.record.id)).toEqual({ ok: false, code: 'key_signs' });
  const other = secretKey(id);
  await createKey(now, other.record);
  await signWithKey(now, other.record.id);
  expect(await revokeKey(now, secret.record.id)).toMatchObject({ ok: true, changed: true });
  expect(await revokeKey(now, secret.record.id)).toMatchObject({ ok: true, changed: false });
  expect(await works(secret.text, OPERATION_MS)).toBe(false);
});

test('an expired key that still carries the mark can be revoked, and the mark moves on', async () => {
  const { id, secret } = await newAccount(now);
  const fresh = secretKey(id);
  await rollKey(now, fresh.record, HOUR_MS);
  const later = at(OPERATION_MS + HOUR_MS);
  expect(await revokeKey(later, secret.record.id)).toMatchObject({ ok: true, changed: true });
  expect(await signers(id, later.nowMs)).toEqual([fresh.record.id]);
});

test('keys of an account that is unknown or closed are not made', async () => {
  const { id } = await newAccount(now);
  await pool.query("update svc.accounts set status = 'closed' where id = $1", [id]);
  expect(await createKey(now, secretKey(id).record)).toEqual({ ok: false, code: 'account_unknown' });
  expect(await rollKey(now, secretKey(id).record, 0)).toEqual({ ok: false, code: 'account_unknown' });
});

test('every change is on record with who did it', async () => {
  const { id, secret } = await newAccount(now);
  const fresh = secretKey(id);
  await rollKey(now, fresh.record, HOUR_MS);
  await signWithKey(now, fresh.record.id);
  await revokeKey(now, secret.record.id);
  const recorded = await actions(id);
  expect(new Set(recorded.map(({ actor }) => actor))).toEqual(new Set(['operator:ada']));
  expect(recorded.map(({ action }) => action).filter((action) => action !== 'account.created')).toEqual(
    expect.arrayContaining(['key.created', 'key.rolled', 'key.signs', 'key.revoked']),
  );
});

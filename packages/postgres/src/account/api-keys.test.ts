import { authenticate, type KeyScope, type Mode, newKey } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { loadSigningKeys } from '../delivery/load-signing-keys.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { idAt } from '../testing/id-at.ts';
import { newAccount, newOperation, OPERATION_MS, TEST_SECRETS } from '../testing/new-operation.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { closeAccount } from './close-account.ts';
import { createKey } from './create-key.ts';
import { findKey } from './find-key.ts';
import { listAccounts } from './list-accounts.ts';
import { listKeys } from './list-keys.ts';
import { recordKeyUses } from './record-key-uses.ts';
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
      { clock: { nowMs: () => nowMs }, peppers: [TEST_SECRETS.pepper], findKey: (indexes) => findKey(pool, indexes) },
      text,
    )
  ).ok;
type AccountId = Parameters<typeof newKey>[1]['accountId'];
const secretKey = (accountId: AccountId, mode: Mode = 'test', nowMs = OPERATION_MS) =>
  newKey(TEST_SECRETS, { accountId, mode }, 'secret', nowMs);
const scopedKey = (accountId: AccountId, scopes: readonly KeyScope[], nowMs = OPERATION_MS) =>
  newKey(TEST_SECRETS, { accountId, mode: 'test' }, 'secret', nowMs, scopes);
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

test('the signing key is revoked now: it stops at once, and the newest secret key without scopes signs', async () => {
  const { id, secret } = await newAccount(now);
  const [second, third] = [secretKey(id, 'test', OPERATION_MS + 1), secretKey(id, 'test', OPERATION_MS + 2)];
  for (const { record } of [second, third]) await createKey(now, record);
  await createKey(now, scopedKey(id, ['read'], OPERATION_MS + 3).record);
  expect(await revokeKey(now, secret.record.id, { now: true })).toMatchObject({
    ok: true,
    changed: true,
    signed: true,
    signsNext: third.record.id,
  });
  expect(await works(secret.text, OPERATION_MS)).toBe(false);
  expect(await signers(id)).toEqual([third.record.id]);
});

test('the only signing key is revoked now: nobody signs until the next secret key is made, which does', async () => {
  const { id, secret } = await newAccount(now);
  expect(await revokeKey(now, secret.record.id, { now: true })).toMatchObject({ signed: true, signsNext: null });
  expect(await signers(id)).toEqual([]);
  const next = secretKey(id);
  expect(await createKey(now, next.record)).toEqual({ ok: true, signing: true });
  expect(await signers(id)).toEqual([next.record.id]);
});

test('a key with scopes never signs, also when no other key can; its scopes are stored and on record', async () => {
  const { id, secret } = await newAccount(now);
  const scoped = scopedKey(id, ['read', 'webhooks']);
  expect(await createKey(now, scoped.record)).toEqual({ ok: true, signing: false });
  expect(await signWithKey(now, scoped.record.id)).toEqual({ ok: false, code: 'key_has_scopes' });
  await revokeKey(now, secret.record.id, { now: true });
  expect(await signers(id)).toEqual([]);
  expect(await loadSigningKeys(pool, [{ accountId: id, mode: 'test' }])).toEqual([]);
  await expect(pool.query('update svc.api_keys set signing = true where id = $1', [scoped.record.id])).rejects.toThrow(
    'api_keys_scoped_check',
  );
  const [listed] = (await listKeys(pool, { accountId: id }, OPERATION_MS)).filter((key) => key.id === scoped.record.id);
  expect(listed?.scopes).toEqual(['read', 'webhooks']);
  expect((await findKey(pool, [scoped.record.index]))?.scopes).toEqual(['read', 'webhooks']);
  expect((await findKey(pool, [secret.record.index]))?.scopes).toBeUndefined();
  expect(await actions(id)).toContainEqual(
    expect.objectContaining({
      action: 'key.created',
      detail: expect.objectContaining({ scopes: ['read', 'webhooks'] }),
    }),
  );
});

test.each(['{}', '{everything}', '{read,everything}'])('the database stores no scopes %s', async (scopes) => {
  await expect(pool.query('select $1::text[]::svc.key_scopes', [scopes])).rejects.toThrow(/violates check/);
});

test('the last use of a key is written at most once a minute, whoever sees it, and unknown keys are ignored', async () => {
  const { id, secret } = await newAccount(now);
  const use = (atMs: number) =>
    recordKeyUses(pool, [
      { accountId: id, mode: 'test', keyId: secret.record.id, atMs },
      { accountId: id, mode: 'test', keyId: 'key_nobody', atMs },
    ]);
  expect(await use(OPERATION_MS)).toBe(1);
  expect(await use(OPERATION_MS + 59_999)).toBe(0);
  expect(await use(OPERATION_MS - HOUR_MS)).toBe(0);
  expect(await use(OPERATION_MS + 60_000)).toBe(1);
  const [listed] = (await listKeys(pool, { accountId: id }, OPERATION_MS)).filter((key) => key.id === secret.record.id);
  expect(listed?.lastUsedAtMs).toBe(OPERATION_MS + 60_000);
  const results = await Promise.all(Array.from({ length: 8 }, () => use(OPERATION_MS + 2 * HOUR_MS)));
  expect(results.reduce((sum, count) => sum + count, 0)).toBe(1);
});

test('a closed account’s keys stop at once, nothing reopens it, and closing is on record in both modes', async () => {
  const { id, secret } = await newAccount(now);
  expect(await closeAccount(now, id, { now: false })).toEqual({
    ok: true,
    changed: true,
    open: { processing: 0, openCaps: 0 },
  });
  expect(await works(secret.text, OPERATION_MS)).toBe(false);
  expect(await closeAccount(now, id, { now: true })).toMatchObject({ ok: true, changed: false });
  expect(await closeAccount(now, 'acct_nobody', { now: true })).toEqual({ ok: false, code: 'account_unknown' });
  expect((await actions(id)).filter(({ action }) => action === 'account.closed')).toHaveLength(2);
});

test('the signing key of a closed account can be revoked, and no key of it is made or rolled', async () => {
  const { id, secret } = await newAccount(now);
  await closeAccount(now, id, { now: true });
  expect(await revokeKey(now, secret.record.id, { now: true })).toMatchObject({
    ok: true,
    changed: true,
    signed: true,
  });
  expect((await actions(id)).filter(({ action }) => action === 'key.revoked')).toHaveLength(1);
  const { record } = newKey(TEST_SECRETS, { accountId: id, mode: 'test' }, 'secret', OPERATION_MS);
  const unknown = { ok: false, code: 'account_unknown' };
  expect([await createKey(now, record), await rollKey(now, record, 0)]).toEqual([unknown, unknown]);
});

test('an account with a cap that can still be charged is closed only now, and payments under way are counted', async () => {
  const { id } = await newAccount(now);
  const tenant = { account_id: id, mode: 'test' };
  const [upto, paid] = [idAt('pi', OPERATION_MS), idAt('pi', OPERATION_MS + 1)];
  await insertRow(pool, 'intents', { ...tenant, id: upto, intent_code: 8_001, x402_upto: true });
  await insertRow(pool, 'intents', { ...tenant, id: paid, intent_code: 8_002, status: 'processing' });
  await insertRow(pool, 'payments', { ...tenant, intent_id: paid });
  const until = Math.floor(OPERATION_MS / 1_000) + 60;
  await insertRow(pool, 'authorizations', { ...tenant, intent_id: upto, valid_before: until, upto: true });
  const open = { processing: 1, openCaps: 1 };
  expect(await closeAccount(now, id, { now: false })).toEqual({ ok: false, code: 'account_has_open_caps', open });
  expect(await closeAccount(at(OPERATION_MS + HOUR_MS), id, { now: false })).toMatchObject({ ok: true });
  const again = await newAccount(now);
  await insertRow(pool, 'intents', { ...tenant, account_id: again.id, id: upto, intent_code: 8_003, x402_upto: true });
  await insertRow(pool, 'authorizations', {
    ...tenant,
    account_id: again.id,
    intent_id: upto,
    valid_before: until,
    upto: true,
  });
  expect(await closeAccount(now, again.id, { now: true })).toMatchObject({ ok: true, open: { openCaps: 1 } });
});

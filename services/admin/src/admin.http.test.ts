import { randomBytes } from 'node:crypto';
import { authenticate, createSecretBox, makeApiKey, secretKeyContext } from '@svc-pay/core';
import { createApiStores, openDatabase } from '@svc-pay/postgres';
import { createOperator, disableOperator } from '@svc-pay/postgres/operator';
import { createTestDatabase, insertRow } from '@svc-pay/postgres/testing';
import { afterAll, expect, test } from 'vitest';
import { MASTER_KEY, startTestAdmin } from './testing/start-test-admin.ts';

const PEPPER = randomBytes(32);
const { pool, url: ownerUrl } = await createTestDatabase();

const admin = await startTestAdmin({ pool, url: ownerUrl }, PEPPER);
const { logs } = admin;
const database = openDatabase(ownerUrl, {
  applicationName: 'test',
  maxConnections: 2,
  statementTimeoutMs: 10_000,
  onConnectionLost: () => {},
});
afterAll(async () => {
  await database.close();
});

const shell = () => ({ pool, nowMs: Date.now(), actor: 'operator:shell' });
async function newOperator(email: string) {
  const made = await createOperator(shell(), { number: 1, bytes: PEPPER }, { name: 'A platform', email });
  if (!made.ok) throw new Error(made.code);
  return made;
}
const operator = await newOperator('platform@example.com');

type Key = {
  readonly id: string;
  readonly mode: string;
  readonly kind: string;
  readonly text: string;
  readonly state: string;
  readonly signs: boolean;
};
type Body = {
  readonly account: { readonly id: string };
  readonly accounts: readonly { readonly id: string }[];
  readonly key: Key;
  readonly keys: readonly Key[];
  readonly limits: readonly unknown[];
  readonly payouts: readonly unknown[];
  readonly error: string;
};
type Answer = { readonly status: number; readonly body: Body };
async function ask(method: 'GET' | 'POST', path: string, body?: object, key: string = operator.key): Promise<Answer> {
  const response = await fetch(`${admin.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      // What a caller says about itself counts for nothing.
      'x-svc-actor': 'operator:eve',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}
const newAccount = async () => (await ask('POST', '/admin/accounts', { name: 'A shop' })).body;
const secretOf = (keys: readonly Key[]) => keys.find(({ mode, kind }) => mode === 'test' && kind === 'secret')!;
const works = async (text: string) => {
  const clock = { nowMs: () => Date.now() };
  const { findKey } = createApiStores(database, { clock, cacheMs: 0 });
  return (await authenticate({ clock, peppers: [PEPPER], findKey }, text)).ok;
};

test.each([
  ['no key', '', 401, 'key_missing'],
  ['a merchant’s secret key', makeApiKey('secret', 'live', randomBytes), 401, 'key_invalid'],
  [
    'a key that nobody has',
    `${operator.key.slice(0, -1)}${operator.key.endsWith('x') ? 'y' : 'x'}`,
    401,
    'key_invalid',
  ],
])('%s opens nothing', async (_, key, status, error) => {
  for (const [method, path] of [
    ['GET', '/admin/accounts'],
    ['POST', '/admin/accounts'],
    ['GET', '/admin/keys'],
  ] as const) {
    const answer = await ask(method, path, method === 'POST' ? { name: 'A shop' } : undefined, key);
    expect(answer.status).toBe(status);
    // Without a key the header is `Bearer ` alone.
    expect(key === '' ? ['key_missing', 'key_invalid'] : [error]).toContain(answer.body.error);
  }
});

test('an operator who is disabled is refused from then on', async () => {
  const leaver = await newOperator('leaver@example.com');
  expect((await ask('GET', '/admin/accounts', undefined, leaver.key)).status).toBe(200);
  await disableOperator(shell(), leaver.id);
  expect((await ask('GET', '/admin/accounts', undefined, leaver.key)).status).toBe(401);
});

test('an account is made with keys that work and that this service cannot open', async () => {
  const { account, keys } = await newAccount();
  expect(keys).toHaveLength(4);
  for (const { text } of keys) expect(await works(text)).toBe(true);
  const { id, text } = secretOf(keys);
  const { rows } = await pool.query('select ciphertext from svc.api_keys where id = $1', [id]);
  expect(createSecretBox([MASTER_KEY]).open(rows[0].ciphertext, secretKeyContext(account.id, id))).toBe(text);
  expect((await ask('GET', `/admin/accounts/${account.id}`)).body).toMatchObject({
    account: { id: account.id, name: 'A shop', status: 'active', usableKeys: 4 },
    limits: [{ mode: 'test', minimumUsdMicros: null, ratePerSecond: null }, { mode: 'live' }],
    publishable: [{ mode: 'test', origins: null, creates: true }, { mode: 'live' }],
  });
});

test('accounts are listed in pages', async () => {
  await newAccount();
  await newAccount();
  const first = await ask('GET', '/admin/accounts?limit=1');
  const next = await ask('GET', `/admin/accounts?limit=1&after=${first.body.accounts[0]!.id}`);
  expect([first.body.accounts.length, next.body.accounts.length]).toEqual([1, 1]);
  expect(next.body.accounts[0]!.id > first.body.accounts[0]!.id).toBe(true);
});

test('keys are made with scopes, rolled, chosen for signing and revoked now', async () => {
  const { account, keys } = await newAccount();
  const path = `/admin/accounts/${account.id}/keys`;
  const scoped = await ask('POST', path, { mode: 'test', kind: 'secret', scopes: ['webhooks', 'read', 'read'] });
  expect(scoped.body).toMatchObject({ key: { scopes: ['webhooks', 'read'] }, signs: false });
  expect(await works(scoped.body.key.text)).toBe(true);
  const rolled = await ask('POST', `${path}/roll`, { mode: 'test', overlapMs: 3_600_000 });
  expect(rolled.body).toMatchObject({ rolled: { id: secretOf(keys).id } });
  expect((await ask('POST', `${path}/roll`, { mode: 'test', overlapMs: 0 })).body).toMatchObject({
    error: 'roll_in_progress',
    keyId: secretOf(keys).id,
  });
  expect((await ask('POST', `/admin/keys/${rolled.body.key.id}/sign`, {})).body).toMatchObject({ changed: true });
  expect(await ask('POST', `/admin/keys/${rolled.body.key.id}/revoke`, {})).toMatchObject({
    status: 409,
    body: { error: 'key_signs' },
  });
  expect(await ask('POST', `/admin/keys/${rolled.body.key.id}/revoke`, { now: true })).toMatchObject({
    status: 200,
    body: { changed: true, signed: true, signsNext: secretOf(keys).id },
  });
  expect(await works(rolled.body.key.text)).toBe(false);
  const listed = (await ask('GET', `/admin/keys?accountId=${account.id}&mode=test`)).body.keys;
  expect(listed.map((key) => [key.id, key.state, key.signs])).toEqual(
    expect.arrayContaining([
      [rolled.body.key.id, 'revoked', false],
      [secretOf(keys).id, 'usable', true],
    ]),
  );
});

test('limits are set, payouts listed and a direct one ended, and an account is closed', async () => {
  const { account, keys } = await newAccount();
  const path = `/admin/accounts/${account.id}`;
  expect((await ask('POST', `${path}/limits`, { mode: 'live', minimumUsdMicros: '500000' })).status).toBe(200);
  expect((await ask('POST', `${path}/limits`, { mode: 'live', ratePerSecond: 400 })).status).toBe(200);
  expect((await ask('GET', path)).body.limits).toContainEqual({
    mode: 'live',
    minimumUsdMicros: '500000',
    ratePerSecond: 400,
  });
  const wallet = `0x${'ab'.repeat(20)}`;
  const direct = { kind: 'direct', processor: wallet, merchant: wallet, asset: `0x${'cd'.repeat(20)}`, fee_bps: 0 };
  const tenant = { account_id: account.id, mode: 'test' };
  await insertRow(pool, 'payouts', { ...tenant, ...direct, payout_id: 71, activation: {}, active_from: new Date() });
  await insertRow(pool, 'payouts', { ...tenant, payout_id: 72 });
  expect((await ask('GET', `/admin/payouts?accountId=${account.id}`)).body.payouts).toHaveLength(2);
  const end = (payoutId: string) => ask('POST', `${path}/payouts/disable`, { network: 'eip155:84532', payoutId });
  expect((await end('72')).body).toMatchObject({ error: 'payout_of_processor' });
  expect((await end('73')).status).toBe(404);
  expect(await end('71')).toMatchObject({ status: 200, body: { change: 'status' } });
  const solana = { ...tenant, network: 'solana:devnet', processor: 'platform', merchant: 'wallet', status: 'active' };
  for (const [payout_id, ageMs] of [
    [81, 1_000],
    [82, 0],
  ] as const)
    await insertRow(pool, 'payouts', { ...solana, payout_id, created_at: new Date(Date.now() - ageMs) });
  const ended = await ask('POST', `${path}/payouts/disable`, { network: 'solana:devnet', payoutId: '82' });
  expect(ended).toMatchObject({
    status: 200,
    body: { change: 'status', payouts: [{ payoutId: '82' }, { payoutId: '81' }] },
  });
  expect((await ask('POST', `${path}/close`, {})).body).toMatchObject({ changed: true });
  for (const { text } of keys) expect(await works(text)).toBe(false);
});

test('what is done with another amount is set, and what is left out stays', async () => {
  const { account } = await newAccount();
  const path = `/admin/accounts/${account.id}`;
  const set = (policy: object) => ask('POST', `${path}/mismatch`, { mode: 'live', ...policy });
  expect((await set({ toleranceUsdMicros: '50000', over: 'hold' })).status).toBe(200);
  const mismatch = { mode: 'live', toleranceUsdMicros: '50000', toleranceBps: 100, over: 'hold', under: 'hold' };
  expect((await set({ toleranceBps: 100 })).body).toEqual({ mismatch });
  expect((await ask('GET', path)).body).toMatchObject({ mismatch: [{ mode: 'test', over: 'refund' }, mismatch] });
  for (const wrong of [{}, { toleranceBps: 10_001 }, { toleranceUsdMicros: '-1' }, { over: 'keep' }])
    expect((await set(wrong)).status).toBe(400);
});

test('what publishable keys may do is set, and what is left out stays', async () => {
  const { account } = await newAccount();
  const path = `/admin/accounts/${account.id}`;
  const set = (rights: object) => ask('POST', `${path}/publishable`, { mode: 'live', ...rights });
  expect((await set({ origins: ['https://shop.example'] })).status).toBe(200);
  const publishable = { mode: 'live', origins: ['https://shop.example'], creates: false };
  expect((await set({ creates: false })).body).toEqual({ publishable });
  expect((await ask('GET', path)).body).toMatchObject({ publishable: [{ mode: 'test' }, publishable] });
  for (const refused of [
    {},
    { origins: [] },
    { origins: ['http://shop.example'] },
    { origins: ['https://a.example/b'] },
  ])
    expect((await set(refused)).status).toBe(400);
});

test('every change is on record under the id of the operator whose key was shown', async () => {
  const { account } = await newAccount();
  await ask('POST', `/admin/accounts/${account.id}/limits`, { mode: 'live', minimumUsdMicros: null });
  await ask('POST', `/admin/accounts/${account.id}/close`, {});
  const { rows } = await pool.query('select distinct actor from svc.audit where account_id = $1', [account.id]);
  expect(rows).toEqual([{ actor: `operator:${operator.id}` }]);
});

test.each([
  ['an unknown account', 'POST', '/admin/accounts/acct_00000000000000000000000000/close', {}, 404, 'account_unknown'],
  ['an id that is none', 'POST', '/admin/accounts/acct_nobody/close', {}, 400, 'malformed_request'],
  ['a field that is not known', 'POST', '/admin/accounts', { name: 'A shop', admin: true }, 400, 'malformed_request'],
  ['a name that commands a terminal', 'POST', '/admin/accounts', { name: 'a\u001B[31m' }, 400, 'malformed_request'],
  ['a list as a body', 'POST', '/admin/accounts', [], 400, 'malformed_request'],
  ['a path that is none', 'GET', '/admin/operators', undefined, 404, 'not_found'],
] as const)('%s is refused', async (_, method, path, body, status, error) => {
  expect(await ask(method, path, body)).toMatchObject({ status, body: { error } });
});

test('the body names no other account than the path, and no scope beyond the kind', async () => {
  const [one, other] = [await newAccount(), await newAccount()];
  const path = `/admin/accounts/${one.account.id}`;
  expect((await ask('POST', `${path}/close`, { accountId: other.account.id })).status).toBe(400);
  const wanted = { mode: 'test', kind: 'publishable', scopes: ['webhooks'] };
  expect((await ask('POST', `${path}/keys`, wanted)).body).toMatchObject({
    error: 'malformed_request',
    param: 'scopes',
  });
  expect((await ask('POST', `${path}/keys`, { ...wanted, scopes: [] })).status).toBe(400);
});

test('no key is in any log line', async () => {
  const { keys } = await newAccount();
  expect(logs.join('')).toContain('admin_action');
  for (const { text } of [...keys, { text: operator.key }]) expect(logs.join('')).not.toContain(text.slice(8, -6));
});

test('answers are counted by action, refused keys among them, and no account is named', async () => {
  const count = async (action: string, status: number) => {
    const text = await (await fetch(`${admin.url}/metrics`)).text();
    expect(text).not.toContain('acct_');
    return Number(
      new RegExp(`admin_requests_total{action="${action}",status="${status}"} (\\d+)`).exec(text)?.[1] ?? 0,
    );
  };
  const before = [await count('createAccount', 200), await count('createAccount', 401)];
  await newAccount();
  await ask('POST', '/admin/accounts', { name: 'A shop' }, 'opk_nobody');
  expect([await count('createAccount', 200), await count('createAccount', 401)]).toEqual(before.map((n) => n + 1));
});

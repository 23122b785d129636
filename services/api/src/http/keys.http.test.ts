import { randomBytes } from 'node:crypto';
import { makeApiKey } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { CREATE, call, cancelPath, intentPath } from '../testing/call.ts';
import { addKey, PEPPER, seedAccount } from '../testing/seed-account.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const api = await startTestApi();
const { pool } = api.database;
const { accountId, keys } = api.account;
const other = await seedAccount(pool);
const body = { usdAmount: 1 };
const create = (key: string | undefined, headers: Record<string, string> = {}) =>
  call(api, 'POST', CREATE, { key, body, headers });
const intentId: string = (await create(keys.test.publishable)).json().paymentIntentId;

const hour = 3_600_000;
const refused: [string, number, string, string | undefined][] = [
  ['no key', 401, 'key_missing', undefined],
  ['a key that nobody has', 401, 'key_invalid', makeApiKey('publishable', 'test', randomBytes)],
  ['a mistyped key', 401, 'key_invalid', `${keys.test.publishable.slice(0, -1)}!`],
  ['a key under another pepper', 401, 'key_invalid', await addKey(pool, accountId, 'secret', 'test', randomBytes(32))],
  [
    'a revoked key',
    401,
    'key_invalid',
    await addKey(pool, accountId, 'publishable', 'test', PEPPER, { revoked_at: new Date() }),
  ],
  [
    'an expired key',
    401,
    'key_invalid',
    await addKey(pool, accountId, 'publishable', 'test', PEPPER, { expires_at: new Date(Date.now() - 1) }),
  ],
];

test.each(refused)('%s is %i %s', async (_, status, error, key) => {
  const response = await create(key);
  expect({ status: response.statusCode, ...response.json() }).toMatchObject({ status, error });
  expect(response.headers['www-authenticate']).toBe('Bearer');
});

test('a key that is being rolled works until it ends', async () => {
  const key = await addKey(pool, accountId, 'secret', 'test', PEPPER, { expires_at: new Date(Date.now() + hour) });
  expect((await create(key)).statusCode).toBe(402);
});

test('keys of a closed account are unknown', async () => {
  const closed = await seedAccount(pool);
  await pool.query("update svc.accounts set status = 'closed' where id = $1", [closed.accountId]);
  expect((await create(closed.keys.test.publishable)).json().error).toBe('key_invalid');
});

test.each(['Basic abc', 'Bearer', 'Bearer  ', 'bearer x y', keys.test.publishable])(
  '"Authorization: %.12s…" shows no key',
  async (authorization) => {
    const response = await call(api, 'POST', CREATE, { body, headers: { authorization } });
    expect(response.json().error).toBe('key_invalid');
  },
);

test('the word Bearer is read in any letter case', async () => {
  const headers = { authorization: `bEARER ${keys.test.publishable}` };
  expect((await call(api, 'POST', CREATE, { body, headers })).statusCode).toBe(402);
});

test('a publishable key can’t cancel, a secret key can read and create', async () => {
  const refusal = await call(api, 'POST', cancelPath(intentId), { key: keys.test.publishable });
  expect({ status: refusal.statusCode, ...refusal.json() }).toMatchObject({
    status: 403,
    error: 'key_kind_not_allowed',
  });
  expect((await call(api, 'GET', intentPath(intentId), { key: keys.test.secret })).statusCode).toBe(200);
  expect((await create(keys.test.secret)).statusCode).toBe(402);
});

test('the body of a request without a key is not looked at', async () => {
  const response = await call(api, 'POST', CREATE, { body: 'x'.repeat(70_000) });
  expect(response.statusCode).toBe(401);
});

describe('the key in the address', () => {
  const read = (key: string, path = intentPath(intentId)) => call(api, 'GET', `${path}?publishableKey=${key}`);

  test('works for reading, with a publishable key', async () => {
    expect((await read(keys.test.publishable)).statusCode).toBe(200);
  });
  test('is refused when it is a secret', async () => {
    expect((await read(keys.test.secret)).json().error).toBe('key_invalid');
  });
  test('is no key anywhere else', async () => {
    const url = `${CREATE}?publishableKey=${keys.test.publishable}`;
    expect((await call(api, 'POST', url, { body })).json().error).toBe('key_missing');
    const cancel = `${cancelPath(intentId)}?publishableKey=${keys.test.publishable}`;
    expect((await call(api, 'POST', cancel)).json().error).toBe('key_missing');
  });
  test('given twice it is none', async () => {
    const twice = `${keys.test.publishable}&publishableKey=${keys.test.publishable}`;
    expect((await read(twice)).json().error).toBe('key_missing');
  });
});

describe('x-account-id', () => {
  test('may be left out, and must match when it is there', async () => {
    expect((await create(keys.test.publishable, { 'x-account-id': accountId })).statusCode).toBe(402);
    for (const wrong of [other.accountId, accountId.toUpperCase(), '']) {
      const response = await create(keys.test.publishable, { 'x-account-id': wrong });
      expect({ status: response.statusCode, ...response.json() }).toMatchObject({
        status: 403,
        error: 'account_mismatch',
      });
    }
  });
});

test('keys are in no log line', () => {
  const shown = [keys.test, keys.live, other.keys.test].flatMap((pair) => Object.values(pair));
  expect(api.logs.length).toBeGreaterThan(20);
  for (const key of shown) expect(api.logs.join('')).not.toContain(key.slice(8));
});

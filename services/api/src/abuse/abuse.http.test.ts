import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressHash, dayOf, makeApiKey } from '@svc-pay/core';
import { addDenied, createAdminActions, readAbuse, removeDenied } from '@svc-pay/postgres/operator';
import { createLogger } from '@svc-pay/runtime/logging';
import { expect, onTestFinished, test } from 'vitest';
import { readApiConfig } from '../config.ts';
import { startApi } from '../start.ts';
import { afterwards } from '../testing/afterwards.ts';
import { CREATE, call, cancelPath, intentPath, SETTLE } from '../testing/call.ts';
import { readEvents } from '../testing/read-events.ts';
import { addKey, PEPPER, seedAccount } from '../testing/seed-account.ts';
import { startTestApi, testEnvironment } from '../testing/start-test-api.ts';

const PROXY = { SVC_API_TRUSTED_PROXIES: '127.0.0.1' };
const api = await startTestApi(PROXY);
const { pool, url: databaseUrl } = api.database;
const { keys, accountId } = api.account;
const from = (address: string) => ({ 'x-forwarded-for': address });
const create = (key: string | undefined, address: string, target: Pick<typeof api, 'app'> = api) =>
  call(target, 'POST', CREATE, { key, body: { usdAmount: 1 }, headers: from(address) });
const operation = () => ({ pool, nowMs: Date.now(), actor: 'operator:ada' });
const admin = () => createAdminActions(operation(), undefined);
const deny = (kind: 'address' | 'key' | 'payer', value: string) =>
  addDenied(operation(), { kind, value, reference: 'x', reason: 'a test', expiresAtMs: null });
const allow = (kind: 'address' | 'key' | 'payer', value: string) =>
  removeDenied(operation(), { kind, value, reference: 'x' });
const keyIdOf = async (key: string): Promise<string> =>
  (await pool.query('select id from svc.api_keys where publishable_text = $1', [key])).rows[0].id;
const lineOf = (response: { headers: Record<string, unknown> }) =>
  api.logs.map((line) => JSON.parse(line)).find(({ requestId }) => requestId === response.headers['x-request-id']);

/** A second process over the same database. */
async function startAnother(environment: Record<string, string> = {}) {
  const read = readApiConfig({ ...testEnvironment(databaseUrl), ...PROXY, ...environment });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const running = await startApi(read.config, { logger: createLogger('api', 'info', { write: () => {} }) });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= running.stop());
  afterwards(stop);
  return { ...running, stop };
}

test('a log line names key, account and the hash of the address, and nobody can read the address from it', async () => {
  const hash = addressHash(PEPPER, '192.0.2.10', dayOf(Date.now()));
  const named = { accountId, mode: 'test', keyId: await keyIdOf(keys.test.publishable), addressHash: hash };
  expect(lineOf(await create(keys.test.publishable, '192.0.2.10'))).toMatchObject({ status: 402, ...named });
  const forbidden = await call(api, 'POST', cancelPath('pi_x'), {
    key: keys.test.publishable,
    headers: from('192.0.2.10'),
  });
  expect(lineOf(forbidden)).toMatchObject({ status: 403, ...named });
  const revoked = await addKey(pool, accountId, 'publishable', 'test', PEPPER, { revoked_at: new Date() });
  expect(lineOf(await create(revoked, '192.0.2.10'))).toMatchObject({
    status: 401,
    keyId: await keyIdOf(revoked),
    addressHash: hash,
  });
  const unknown = lineOf(await create(makeApiKey('publishable', 'test', randomBytes), '192.0.2.10'));
  expect(unknown).toMatchObject({ status: 401, addressHash: hash });
  expect(unknown).not.toHaveProperty('keyId');
  expect(lineOf(await call(api, 'GET', '/nowhere', { headers: from('192.0.2.10') }))).toMatchObject({
    status: 404,
    addressHash: hash,
  });
  expect(api.logs.join('')).not.toContain('192.0.2.10');
});

test('a denied address is refused by every process within a second, and let in again within another', async () => {
  const another = await startAnother();
  const statuses = async () =>
    Promise.all([api, another].map(async (one) => (await create(keys.test.secret, '2001:db8:7::1', one)).statusCode));
  expect(await statuses()).toEqual([402, 402]);
  await deny('address', '2001:db8:7::/48');
  await expect.poll(statuses, { timeout: 1_000, interval: 20 }).toEqual([403, 403]);
  const refusal = await create(keys.test.secret, '2001:db8:7:ffff::1');
  expect(refusal.json()).toMatchObject({ error: 'address_denied', retryable: false, moneyMoved: 'no' });
  expect((await create(keys.test.secret, '2001:db8:8::1')).statusCode).toBe(402);
  expect((await call(api, 'GET', '/health', { headers: from('2001:db8:7::1') })).statusCode).toBe(200);
  // Its header may have been taken before, by this address or another.
  const settle = await call(api, 'POST', SETTLE, { key: keys.test.secret, body: {}, headers: from('2001:db8:7::1') });
  expect(settle.json()).toMatchObject({ error: 'address_denied', moneyMoved: 'unknown' });
  await allow('address', '2001:db8:7::/48');
  await expect.poll(statuses, { timeout: 1_000, interval: 20 }).toEqual([402, 402]);
});

test('a denial has effect within a second while requests occupy every connection to the database', async () => {
  const another = await startAnother({ SVC_API_DATABASE_POOL: '1' });
  expect((await create(keys.test.publishable, '192.0.2.41', another)).statusCode).toBe(402);
  const blocker = await pool.connect();
  try {
    await blocker.query('begin');
    await blocker.query('lock table svc.intents in access exclusive mode');
    const stuck = create(keys.test.publishable, '192.0.2.40', another);
    await deny('address', '192.0.2.41/32');
    await sleep(1_000);
    const answer = create(keys.test.publishable, '192.0.2.41', another);
    const code = await Promise.race([answer.then((response): string => response.json().error), sleep(3_000, 'waits')]);
    expect(code).toBe('address_denied');
    await blocker.query('rollback');
    expect((await stuck).statusCode).toBe(402);
  } finally {
    blocker.release(true);
  }
});

test('a denied key is refused as a revoked one within a second, and its open stream ends', async () => {
  const { keys: own } = await seedAccount(pool);
  const intentId: string = (await create(own.test.publishable, '192.0.2.20')).json().paymentIntentId;
  const stream = await readEvents(`${api.url}${intentPath(intentId)}/stream?publishableKey=${own.test.publishable}`);
  expect((await stream.next())?.event).toBe('payment_intent_update');
  await deny('key', await keyIdOf(own.test.publishable));
  await expect
    .poll(async () => (await create(own.test.publishable, '192.0.2.20')).json().error, { timeout: 1_000, interval: 20 })
    .toBe('key_invalid');
  expect(await stream.next(1_000)).toBeUndefined();
  expect((await create(own.test.secret, '192.0.2.20')).statusCode).toBe(402);
});

test.each([
  ['is revoked', (_: string, keyId: string) => admin().revokeKey({ keyId, now: true })],
  [
    'has expired',
    (_: string, keyId: string) => pool.query('update svc.api_keys set expires_at = now() where id = $1', [keyId]),
  ],
  ['is of an account that was closed', (own: string) => admin().closeAccount({ accountId: own, now: true })],
])('an open stream ends within a second when its key %s, and streams of others go on', async (_, end) => {
  const [one, other] = [await seedAccount(pool), await seedAccount(pool)];
  const open = async ({ keys: { test: own } }: typeof one) => {
    const intentId: string = (await create(own.publishable, '192.0.2.40')).json().paymentIntentId;
    const stream = await readEvents(`${api.url}${intentPath(intentId)}/stream?publishableKey=${own.publishable}`);
    expect((await stream.next())?.event).toBe('payment_intent_update');
    let isOpen = true;
    void stream.next().then(
      (event) => (isOpen = event !== undefined),
      () => (isOpen = false),
    );
    return () => isOpen;
  };
  const streams = [await open(one), await open(other)];
  await end(one.accountId, await keyIdOf(one.keys.test.publishable));
  await expect.poll(() => streams.map((isOpen) => isOpen()), { timeout: 1_500, interval: 20 }).toEqual([false, true]);
});

test('the stream of a client secret ends with its account', async () => {
  const [one, other] = [await seedAccount(pool), await seedAccount(pool)];
  const open = async ({ keys: { test: own } }: typeof one) => {
    const { paymentIntentId, clientSecret } = (await create(own.secret, '192.0.2.50')).json();
    const headers = { authorization: `Bearer ${clientSecret}`, ...from('192.0.2.50') };
    const stream = await readEvents(`${api.url}${intentPath(paymentIntentId)}/stream`, headers);
    onTestFinished(stream.close);
    expect((await stream.next())?.event).toBe('payment_intent_update');
    return stream;
  };
  const [ended, going] = [await open(one), await open(other)];
  await admin().closeAccount({ accountId: one.accountId, now: true });
  expect(await ended.next(1_500)).toBeUndefined();
  await expect(going.next(100)).rejects.toThrow();
});

test('what clients cause is in the database for `svc abuse top`, by hash, key and account', async () => {
  const { keys: own, accountId: ownAccount } = await seedAccount(pool);
  const another = await startAnother({ SVC_API_RATE_LIMITS: 'on', SVC_API_RATE_TEST: '3' });
  for (let count = 0; count < 8; count += 1) await create(own.test.publishable, '192.0.2.30', another);
  for (let count = 0; count < 4; count += 1) await create(undefined, '192.0.2.31', another);
  await another.stop();
  const found = await readAbuse(pool, Date.now() - 60_000, 100);
  const of = (cause: string, kind: string, subject: string) =>
    found.find((total) => total.cause === cause && total.kind === kind && total.subject === subject)?.count ?? 0;
  const today = dayOf(Date.now());
  const keyId = await keyIdOf(own.test.publishable);
  const [hash, account] = [addressHash(PEPPER, '192.0.2.30', today), `${ownAccount}/test`];
  const refused = of('refused', 'key', keyId);
  expect(refused).toBeGreaterThan(0);
  // Also what the limit by address refused before the key was looked up.
  expect([of('refused', 'address', hash), of('refused', 'account', account)]).toEqual([refused, refused]);
  expect(of('created', 'key', keyId)).toBe(8 - refused);
  expect(of('created', 'account', account)).toBe(8 - refused);
  expect(of('created', 'address', hash)).toBe(8 - refused);
  expect(of('refused', 'address', addressHash(PEPPER, '192.0.2.31', today))).toBe(4);
});

import { createTestDatabase, insertRow } from '@svc-pay/postgres/testing';
import { describe, expect, test } from 'vitest';
import { CREATE, call } from '../testing/call.ts';
import { seedAccount } from '../testing/seed-account.ts';
import { startApiProcess } from '../testing/start-api-process.ts';
import { startTestApi, testEnvironment } from '../testing/start-test-api.ts';

const api = await startTestApi();
const { test: testKeys, live: liveKeys } = api.account.keys;
const body = { usdAmount: 1, metadata: { order: 1 } };
const create = (key: string, idempotencyKey: string, sent: object | string = body) =>
  call(api, 'POST', CREATE, { key, body: sent, headers: { 'idempotency-key': idempotencyKey } });
const countIntents = async (pool = api.database.pool) =>
  (await pool.query<{ count: number }>('select count(*)::integer from svc.intents')).rows[0]?.count;

test('200 creates at once with one key make one intent, and every answer has the same bytes', async () => {
  const before = await countIntents();
  const answers = await Promise.all(Array.from({ length: 200 }, () => create(testKeys.publishable, 'burst')));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([402]));
  expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
  expect(await countIntents()).toBe((before ?? 0) + 1);
  const { rows } = await api.database.pool.query('select count(*)::integer from svc.events where intent_id = $1', [
    answers[0]?.json().paymentIntentId,
  ]);
  expect(rows).toEqual([{ count: 1 }]);
});

test('a replay carries its mark, the same status and the headers of the first', async () => {
  const sent = { usdAmount: 2, symbol: 'USDC' };
  const [first, again] = [await create(testKeys.secret, 'mark', sent), await create(testKeys.secret, 'mark', sent)];
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(again.statusCode).toBe(402);
  expect(again.headers['deprecation']).toBe(first.headers['deprecation']);
  expect(again.body).toBe(first.body);
  expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
});

test('the same key with another body is refused, by bytes', async () => {
  await create(testKeys.publishable, 'other', '{"usdAmount":1}');
  for (const sent of ['{"usdAmount":2}', '{"usdAmount":1} ', '{"usdAmount":1.0}']) {
    const response = await create(testKeys.publishable, 'other', sent);
    expect({ status: response.statusCode, ...response.json() }).toMatchObject({
      status: 422,
      error: 'idempotency_key_reused',
    });
  }
});

test('a refusal is not remembered: the key is free for the corrected request', async () => {
  expect((await create(testKeys.publishable, 'free', { usdAmount: 0 })).statusCode).toBe(400);
  expect((await create(testKeys.publishable, 'free', { usdAmount: 1 })).statusCode).toBe(402);
});

test('a key means nothing in another account or mode', async () => {
  const other = await seedAccount(api.database.pool);
  const keys = [testKeys.publishable, liveKeys.publishable, other.keys.test.publishable, other.keys.live.publishable];
  const sent = { usdAmount: 1 };
  const ids = await Promise.all(keys.map(async (key) => (await create(key, 'shared', sent)).json().paymentIntentId));
  expect(new Set(ids).size).toBe(4);
});

describe('a publishable key can’t occupy the idempotency keys of the merchant’s server', () => {
  test('what it created under an order’s number does not stand in the server’s way', async () => {
    const squatted = await create(testKeys.publishable, 'order-1001', { usdAmount: 1 });
    const merchants = await create(testKeys.secret, 'order-1001', { usdAmount: 20 });
    expect([squatted.statusCode, merchants.statusCode]).toEqual([402, 402]);
    expect(merchants.json().paymentIntentId).not.toBe(squatted.json().paymentIntentId);
    const again = await create(testKeys.secret, 'order-1001', { usdAmount: 20 });
    expect(again.body).toBe(merchants.body);
    expect((await create(testKeys.publishable, 'order-1001', { usdAmount: 1 })).body).toBe(squatted.body);
  });

  test('nor is the server’s answer told to whoever guesses its key', async () => {
    const merchants = await create(testKeys.secret, 'order-1002', { usdAmount: 20 });
    const guessed = await create(testKeys.publishable, 'order-1002', { usdAmount: 20 });
    expect(guessed.headers['idempotent-replayed']).toBeUndefined();
    expect(guessed.json().paymentIntentId).not.toBe(merchants.json().paymentIntentId);
  });

  test('the longest key is as good with either', async () => {
    for (const key of [testKeys.publishable, testKeys.secret]) {
      const answers = [await create(key, 'k'.repeat(255)), await create(key, 'k'.repeat(255))];
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([402, 402]);
      expect(answers[1]?.body).toBe(answers[0]?.body);
    }
  });

  test('events name the idempotency key as it was sent', async () => {
    const { paymentIntentId } = (await create(testKeys.publishable, 'as-sent', { usdAmount: 1 })).json();
    const { rows } = await api.database.pool.query<{ key: string }>(
      "select convert_from(body, 'UTF8')::jsonb -> 'request' ->> 'idempotency_key' as key from svc.events where intent_id = $1",
      [paymentIntentId],
    );
    expect(rows).toEqual([{ key: 'as-sent' }]);
  });
});

test('while the first request is still running, the repeat is told so and can come again', async () => {
  const impatient = await startTestApi({ SVC_API_STATEMENT_TIMEOUT_MS: '300' });
  const repeat = () =>
    call(impatient, 'POST', CREATE, {
      key: impatient.account.keys.test.publishable,
      body,
      headers: { 'idempotency-key': 'held' },
    });
  const first = await impatient.database.pool.connect();
  await first.query('begin');
  await insertRow(first, 'idempotency', { account_id: impatient.account.accountId, mode: 'test', key: 'pk held' });
  const response = await repeat();
  expect({ status: response.statusCode, ...response.json() }).toMatchObject({
    status: 409,
    error: 'idempotency_in_progress',
    retryable: true,
  });
  await first.query('rollback');
  first.release();
  expect((await repeat()).statusCode).toBe(402);
});

describe('a process that is killed', () => {
  test('in the middle of such a burst leaves one intent, and the repeat after it finds that one', async () => {
    const database = await createTestDatabase();
    const { keys } = await seedAccount(database.pool);
    const environment = testEnvironment(database.url);
    const post = (url: string, idempotencyKey: string) =>
      fetch(`${url}${CREATE}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${keys.test.publishable}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: JSON.stringify(body),
      }).then((response) => response.text());

    const first = await startApiProcess(environment);
    await post(first.url, 'warm');
    const burst = Array.from({ length: 200 }, () => post(first.url, 'killed').catch(() => undefined));
    await Promise.race(burst);
    await first.kill('SIGKILL');
    const heard = (await Promise.all(burst)).filter((answer) => answer !== undefined);

    const second = await startApiProcess(environment);
    const repeated = await Promise.all(Array.from({ length: 20 }, () => post(second.url, 'killed')));
    expect(new Set([...heard, ...repeated]).size).toBe(1);
    expect(await countIntents(database.pool)).toBe(2);
    await second.kill('SIGTERM');
  });
});

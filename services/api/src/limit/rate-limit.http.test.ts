import { expect, test } from 'vitest';
import { CREATE, call, intentPath } from '../testing/call.ts';
import { seedAccount } from '../testing/seed-account.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const limits = {
  SVC_API_RATE_LIMITS: 'on',
  SVC_API_RATE_TEST: '3',
  SVC_API_RATE_LIVE: '5',
  SVC_API_RATE_ADDRESS: '40',
};
// Only the test moves the clock, so that no limit refills on a slow machine.
let nowMs = Date.now();
const api = await startTestApi(limits, { nowMs: () => nowMs });
const read = (key: string | undefined) => call(api, 'GET', intentPath('pi_x'), { key });
const statuses = async (count: number, key: string | undefined) =>
  (await Promise.all(Array.from({ length: count }, () => read(key)))).map(({ statusCode }) => statusCode);
const limited = (list: number[]) => list.filter((status) => status === 429).length;

test('each key has its own second, by its mode', async () => {
  const { keys } = await seedAccount(api.database.pool);
  expect(limited(await statuses(6, keys.test.secret))).toBe(3);
  expect(limited(await statuses(6, keys.live.secret))).toBe(1);
  const second = await seedAccount(api.database.pool);
  expect(limited(await statuses(3, second.keys.test.secret))).toBe(0);
});

test('a refusal says how long to wait, and waiting helps', async () => {
  const { keys } = await seedAccount(api.database.pool);
  const first = await read(keys.test.secret);
  expect(first.headers).toMatchObject({ 'ratelimit-policy': '"key";q=3;w=1', ratelimit: '"key";r=2;t=1' });
  await statuses(2, keys.test.secret);
  const refusal = await read(keys.test.secret);
  expect(refusal.statusCode).toBe(429);
  expect(refusal.json()).toMatchObject({ error: 'rate_limited', retryable: true });
  expect(refusal.headers['retry-after']).toBe('1');
  nowMs += 1_000;
  expect((await read(keys.test.secret)).statusCode).toBe(404);
});

test('an address that guesses keys, or shows none, is limited too', async () => {
  nowMs += 1_000;
  const list = await statuses(50, 'sk_test_guess');
  expect(limited(list)).toBeGreaterThanOrEqual(5);
  const refusals = await Promise.all(Array.from({ length: 50 }, () => call(api, 'POST', CREATE, { body: {} })));
  expect(limited(refusals.map(({ statusCode }) => statusCode))).toBeGreaterThanOrEqual(5);
  // A request with a secret key is not counted by address.
  const { keys } = await seedAccount(api.database.pool);
  expect((await read(keys.live.secret)).statusCode).toBe(404);
});

test('who must not be limited is not: health and readiness', async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, () => call(api, 'GET', '/health')));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
});

import { bookSettled } from '@svc-pay/postgres/testing';
import { overview } from '@svc-pay/protocol/merchant';
import { createSvcPay, orThrow } from '@svc-pay/server';
import { expect, test } from 'vitest';
import { call } from '../../testing/call.ts';
import { seedAccount } from '../../testing/seed-account.ts';
import { startTestApi } from '../../testing/start-test-api.ts';

const api = await startTestApi();
const { pool } = api.database;
const { accountId, keys } = api.account;
const key = keys.test.secret;
const NOON = Date.parse('2026-11-16T12:10:00Z');
const DAY_MS = 86_400_000;
const PATH = '/sdk/overview?from=2026-11-10T00:00:00Z&to=2026-11-20T00:00:00Z';

const get = (url: string, asked = key) => call(api, 'GET', url, { key: asked });
/** Other tests write in the same server; what they have begun holds the fold back. */
const foldAll = (bookings: number) =>
  expect
    .poll(
      async () => {
        await pool.query('select svc.fold_overview()');
        return Number((await pool.query('select folded from svc.overview_cursors where shown')).rows[0].folded);
      },
      { timeout: 20_000 },
    )
    .toBe(bookings);

test('nothing is said to be counted before it is', async () => {
  const { asOf, points, total } = overview.parse((await get(PATH)).json());
  expect({ asOf, points, successRate: total.successRate, volumeUsd: total.volumeUsd }).toEqual({
    asOf: null,
    points: [],
    successRate: null,
    volumeUsd: '0',
  });
});

test('what was booked is told by hour and by day, and other accounts and modes see none of it', async () => {
  await bookSettled(pool, { accountId, nowMs: NOON, capAtomic: 2_000_000n, settledAtomic: 1_500_000n });
  await bookSettled(pool, { accountId, nowMs: NOON + 3_600_000, gasShareAtomic: 5_000n });
  await bookSettled(pool, { accountId, nowMs: NOON + DAY_MS });
  await bookSettled(pool, { accountId, mode: 'live', nowMs: NOON });
  await foldAll(4);
  const byDay = overview.parse((await get(PATH)).json());
  expect(byDay.points.map(({ at, completed, tokens }) => [at, completed, tokens[0]?.volume])).toEqual([
    ['2026-11-16T00:00:00.000Z', 2, '2.5'],
    ['2026-11-17T00:00:00.000Z', 1, '1'],
  ]);
  expect(byDay).toMatchObject({
    interval: 'day',
    asOf: expect.any(String),
    total: {
      completed: 3,
      failed: 0,
      successRate: '1.000000',
      tokens: [{ chain: 'eip155:84532', tokenShortcode: 'basesepolia_usdc', volume: '3.5', gas: '0.000000000000005' }],
    },
  });
  const byHour = overview.parse((await get(`${PATH}&interval=hour`)).json());
  expect(byHour.points.map(({ at, completed }) => [at, completed])).toEqual([
    ['2026-11-16T12:00:00.000Z', 1],
    ['2026-11-16T13:00:00.000Z', 1],
    ['2026-11-17T12:00:00.000Z', 1],
  ]);
  expect(overview.parse((await get(PATH, keys.live.secret)).json()).total.completed).toBe(1);
  const other = await seedAccount(pool);
  expect(overview.parse((await get(PATH, other.keys.test.secret)).json()).points).toEqual([]);
  const svc = createSvcPay({ baseUrl: api.url, secretKey: key });
  const range = { from: new Date('2026-11-10T00:00:00Z'), to: new Date('2026-11-20T00:00:00Z') };
  expect(orThrow(await svc.overview(range)).overview.total).toEqual(byDay.total);
});

test.each([
  ['from=2026-11-20T00:00:00Z&to=2026-11-20T00:00:00Z', 'an end that is no later than the begin'],
  ['from=2026-11-01T00:00:00Z&to=2026-11-20T00:00:00Z&interval=hour', 'more than 400 intervals'],
  ['from=2026-11-01&to=2026-11-20T00:00:00Z', 'a date without a time'],
  ['from=2026-11-01T00:00:00Z&to=2026-11-20T00:00:00Z&interval=week', 'an unknown interval'],
  ['from=2026-11-01T00:00:00Z', 'no end'],
])('the overview refuses %s: %s', async (query) => {
  const answer = await get(`/sdk/overview?${query}`);
  expect([answer.statusCode, answer.json()['error']]).toEqual([400, 'malformed_request']);
});

test('a publishable key reads no figures', async () => {
  expect((await get(PATH, keys.test.publishable)).statusCode).toBe(403);
});

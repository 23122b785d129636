import { bookSettled } from '@svc-pay/postgres/testing';
import { createSvcPay, orThrow } from '@svc-pay/server';
import { expect, test } from 'vitest';
import { call } from '../../testing/call.ts';
import { seedAccount } from '../../testing/seed-account.ts';
import { startTestApi } from '../../testing/start-test-api.ts';

const api = await startTestApi();
const { pool } = api.database;
const { accountId, keys } = api.account;
const key = keys.test.secret;
const svc = createSvcPay({ baseUrl: api.url, secretKey: key });
const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const [NOON, EVIL] = [Date.parse(`${YESTERDAY}T12:00:00Z`), { note: '=cmd|calc', quoted: 'a "b", c' }];

const booked = await bookSettled(pool, {
  accountId,
  nowMs: NOON,
  capAtomic: 2_000_000n,
  settledAtomic: 1_500_000n,
  metadata: JSON.stringify(EVIL),
});
const [second, third] = [
  await bookSettled(pool, { accountId, nowMs: NOON }),
  await bookSettled(pool, { accountId, nowMs: NOON }),
];
await bookSettled(pool, { accountId, mode: 'live', nowMs: NOON });

const get = (url: string, asked = key) => call(api, 'GET', url, { key: asked });
const cursorOf = ({ headers }: Awaited<ReturnType<typeof get>>) => String(headers['x-svc-export-cursor']);
/** Other tests write in the same server; what they have begun holds the watermark back. */
const whole = (url: string, rows: number, asked = key) =>
  expect.poll(async () => (await get(url, asked)).body.trim().split('\r\n').length - 1, { timeout: 20_000 }).toBe(rows);

test('payments come as CSV with their amounts, and other accounts and modes see none of them', async () => {
  await whole('/sdk/exports/payments', 3);
  const { headers, body } = await get('/sdk/exports/payments');
  expect(headers['content-type']).toMatch(/^text\/csv/);
  expect(headers).toMatchObject({ 'x-svc-export-more': 'false', 'cache-control': 'no-store' });
  const [head = '', first = ''] = body.split('\r\n');
  expect(head.split(',').slice(0, 4)).toEqual(['paymentId', 'paymentIntentId', 'bookingId', 'bookedAt']);
  expect(first).toContain(`${booked.paymentId},${booked.intentId},`);
  expect(first).toContain(',2,0.015,0,0.5,0,1.485,0,ETH,0xfe');
  expect(first).toContain('"{""note"":""=cmd|calc"",""quoted"":""a \\""b\\"", c""}"');
  await whole('/sdk/exports/payments', 1, keys.live.secret);
  const other = await seedAccount(pool);
  expect((await get('/sdk/exports/ledger', other.keys.test.secret)).body.split('\r\n').length).toBe(2);
});

test('a broken download goes on from its last cursor, and the pages are the file', async () => {
  const url = '/sdk/exports/ledger?format=csv';
  await whole(url, 10);
  const file = (await get(url)).body;
  let [text, cursor, more] = ['', '', true];
  while (more) {
    const page = await get(`${url}&limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`);
    text += page.body;
    cursor = cursorOf(page);
    more = page.headers['x-svc-export-more'] === 'true';
  }
  expect(text).toBe(file);
  expect((await get(`${url}&cursor=${cursor}`)).body).toBe('');
});

test('a cursor of another account, mode or export, or a changed one, is refused', async () => {
  const mine = cursorOf(await get('/sdk/exports/payments?limit=1'));
  const other = await seedAccount(pool);
  const asks = [
    ['/sdk/exports/payments', other.keys.test.secret, mine],
    ['/sdk/exports/payments', keys.live.secret, mine],
    ['/sdk/exports/ledger', key, mine],
    [`/sdk/statement?day=${YESTERDAY}`, key, mine],
    ['/sdk/exports/payments', key, `${mine}x`],
    ['/sdk/exports/payments', key, `A${mine}`],
  ] as const;
  for (const [url, asked, cursor] of asks) {
    const answer = await get(`${url}${url.includes('?') ? '&' : '?'}cursor=${cursor}`, asked);
    expect(answer.statusCode, url).toBe(400);
    expect(answer.json()).toMatchObject({ error: 'cursor_invalid', param: 'cursor' });
  }
  expect((await get(`/sdk/exports/payments?cursor=${mine}`)).statusCode).toBe(200);
});

test('a publishable key exports nothing, and a page has at most 5,000 rows', async () => {
  expect((await get('/sdk/exports/payments', keys.test.publishable)).json()).toMatchObject({
    error: 'key_kind_not_allowed',
  });
  for (const limit of ['0', '5001', '-1', 'all', '1e3'])
    expect((await get(`/sdk/exports/payments?limit=${limit}`)).json(), limit).toMatchObject({
      error: 'malformed_request',
    });
});

test('the statement of a day has the sums of its payments; of a day that is not over there is none', async () => {
  const { lines } = orThrow(await svc.exports.statement(YESTERDAY));
  expect(lines).toEqual([
    {
      chain: 'eip155:84532',
      tokenShortcode: 'basesepolia_usdc',
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      decimals: 6,
      gasToken: 'ETH',
      gasDecimals: 18,
      payments: 3,
      reversals: 0,
      refunds: 0,
      refunded: '0',
      gross: '4',
      fee: '0.035',
      splits: '0',
      refund: '0.5',
      escrow: '0',
      net: '3.465',
      gas: '0',
    },
  ]);
  expect(orThrow(await svc.exports.statement('2020-02-29')).lines).toEqual([]);
  const today = new Date().toISOString().slice(0, 10);
  expect((await get(`/sdk/statement?day=${today}`)).json()).toMatchObject({ error: 'statement_not_ready' });
  for (const day of ['2026-02-30', 'yesterday', '2026-11-1'])
    expect((await get(`/sdk/statement?day=${day}`)).json(), day).toMatchObject({ error: 'malformed_request' });
});

test('the library gives every row once, page by page', async () => {
  const ids: string[] = [];
  for await (const { rows } of svc.exports.eachPaymentsPage({ limit: 1 }))
    ids.push(...rows.map(({ paymentId }) => paymentId));
  expect(ids).toEqual([booked.paymentId, second.paymentId, third.paymentId]);
  const entries = orThrow(await svc.exports.ledger({ limit: 5_000 }));
  expect(entries.hasMore).toBe(false);
  expect(entries.rows.length).toBe(10);
  expect(orThrow(await svc.exports.ledger({ cursor: entries.cursor })).rows).toEqual([]);
});

test('while one page of an account is read, another is told to come again', async () => {
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`svc.export/${accountId}/test`]);
  const answer = await get('/sdk/exports/payments');
  expect(answer.json()).toMatchObject({ error: 'export_busy' });
  expect(answer.headers['retry-after']).toBe('1');
  await client.query('rollback');
  client.release();
  expect((await get('/sdk/exports/payments')).statusCode).toBe(200);
});

test('an account exports at most two pages a second, and its payments are not refused for it', async () => {
  const limited = await startTestApi({ SVC_API_RATE_LIMITS: 'on', SVC_API_RATE_TEST: '1000' });
  const { secret } = limited.account.keys.test;
  const codes = [];
  for (let index = 0; index < 30; index += 1)
    codes.push((await call(limited, 'GET', '/sdk/exports/ledger', { key: secret })).statusCode);
  expect(codes.slice(0, 4)).toEqual([200, 200, 200, 200]);
  expect(codes.filter((code) => code === 429).length).toBeGreaterThan(5);
  expect((await call(limited, 'GET', '/sdk/events', { key: secret })).statusCode).toBe(200);
});

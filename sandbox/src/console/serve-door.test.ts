// The door lets whoever passes it in without a passkey: it opens once, for a page of the sandbox, within seconds.
import { fastify } from 'fastify';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { addDoor } from './serve-door.ts';

const PORT = 4021;
const ACCOUNT = 'acct_01hsandbox';
const FROM_HERE = { host: `127.0.0.1:${PORT}`, 'sec-fetch-site': 'same-origin' };
const AT_CONSOLE = { host: `localhost:${PORT}` };

const time = { nowMs: 1_800_000_000_000 };
const begun: string[] = [];
const app = fastify();
addDoor(app, {
  port: PORT,
  accountId: ACCOUNT,
  clock: { nowMs: () => time.nowMs },
  console: Promise.resolve({
    url: 'http://localhost:8406',
    begin: async (userAgent: string) => {
      begun.push(userAgent);
      return 'a'.repeat(86) as never;
    },
    stop: async () => {},
  }),
});
afterAll(() => app.close());
beforeEach(() => {
  begun.length = 0;
});

const get = (url: string, headers: Readonly<Record<string, string>>) => app.inject({ url, headers: { ...headers } });
const linkOf = async (query = '') => {
  const { headers } = await get(`/console${query}`, FROM_HERE);
  const { host, pathname } = new URL(String(headers['location']));
  expect(host).toBe(`localhost:${PORT}`);
  return pathname;
};

test('a link from a page of the sandbox signs its browser in, and leads to the first page or to the payment', async () => {
  const opened = await get(await linkOf(), AT_CONSOLE);
  expect(opened.statusCode).toBe(303);
  expect(opened.headers).toMatchObject({
    location: `http://localhost:8406/test/${ACCOUNT}/overview`,
    'set-cookie': expect.stringMatching(/^svc_console=a{86}; Path=\/; HttpOnly; SameSite=Strict$/),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  const payment = await get(await linkOf('?payment=pi_abc'), AT_CONSOLE);
  expect(payment.headers['location']).toBe(`http://localhost:8406/test/${ACCOUNT}/payments/pi_abc`);
});

test.each([
  ['a page of another site', { ...FROM_HERE, 'sec-fetch-site': 'cross-site' }],
  ['a name that was bound to this machine', { ...FROM_HERE, host: `evil.example:${PORT}` }],
  ['the host of the console', { ...FROM_HERE, host: `localhost:${PORT}` }],
  ['another port', { ...FROM_HERE, host: '127.0.0.1:80' }],
])('the door is closed to a browser that %s leads there', async (_, headers) => {
  const refused = await get('/console', headers);
  expect(refused.statusCode).toBe(403);
  expect(refused.headers['location']).toBeUndefined();
});

test('a link works once, and the visitor of a used one gets no session', async () => {
  const link = await linkOf();
  expect((await get(link, AT_CONSOLE)).statusCode).toBe(303);
  const again = await get(link, AT_CONSOLE);
  expect([again.statusCode, again.headers['set-cookie']]).toEqual([404, undefined]);
  expect(begun).toHaveLength(1);
});

test('a link works within thirty seconds', async () => {
  const [inTime, late] = [await linkOf(), await linkOf()];
  time.nowMs += 29_999;
  expect((await get(inTime, AT_CONSOLE)).statusCode).toBe(303);
  time.nowMs += 1;
  expect((await get(late, AT_CONSOLE)).statusCode).toBe(404);
  expect(begun).toHaveLength(1);
});

test('a link that is opened at another host is spent, and signs nobody in', async () => {
  const link = await linkOf();
  expect((await get(link, { host: `127.0.0.1:${PORT}` })).statusCode).toBe(404);
  expect((await get(link, AT_CONSOLE)).statusCode).toBe(404);
  expect((await get('/console/made-up', AT_CONSOLE)).statusCode).toBe(404);
  expect(begun).toEqual([]);
});

test.each(['//evil.example', '../../keys', 'pi_/../../people', 'https://evil.example', `pi_${'a'.repeat(65)}`])(
  'a payment named %s leads to no other place',
  async (payment) => {
    const opened = await get(await linkOf(`?payment=${encodeURIComponent(payment)}`), AT_CONSOLE);
    expect(opened.headers['location']).toBe(`http://localhost:8406/test/${ACCOUNT}/overview`);
  },
);

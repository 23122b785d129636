import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { CREATE, call, intentPath, SETTLE } from '../testing/call.ts';
import { startTestApi, type TestApi } from '../testing/start-test-api.ts';
import { ROUND_MS } from './quota-rounds.ts';

// Only the test moves the clock, so that a slow machine refills nothing.
let nowMs = Date.now();
const start = (settings: Readonly<Record<string, string>> = {}) =>
  startTestApi(
    { SVC_API_RATE_LIMITS: 'on', SVC_API_TRUSTED_PROXIES: '127.0.0.1', ...settings },
    { nowMs: () => nowMs },
  );
const api = await start();
const STEP_MS = 500;
const PAYERS_A_STEP = 15;
// What was used is told to the database every quarter of a second, at the clock of that moment: the test's clock must
// not run ahead of the rounds.
const round = () => new Promise((resolve) => setTimeout(resolve, ROUND_MS + 30));

async function visit(address: string, visited: TestApi = api): Promise<readonly number[]> {
  const { publishable: key } = visited.account.keys.test;
  const headers = { 'x-forwarded-for': address };
  const intent = newId('paymentIntent', nowMs);
  const answers = await Promise.all([
    call(visited, 'POST', CREATE, { key, headers, body: { usdAmount: 1 } }),
    call(visited, 'POST', SETTLE, { key, headers, body: { paymentIntentId: intent, paymentHeader: 'e30=' } }),
    call(visited, 'GET', intentPath(intent), { key, headers }),
  ]);
  return answers.map(({ statusCode }) => statusCode);
}
const refusedOf = (statuses: readonly number[]) => statuses.filter((status) => status === 429).length;

test.each([1, 3, 10])(
  'a flood with a publishable key from %i addresses refuses none of 60 payers on other addresses',
  async (attackers) => {
    const flood: number[] = [];
    const payers: number[] = [];
    for (let payer = 0; payer < 60; payer += PAYERS_A_STEP) {
      const hostile = Array.from({ length: attackers * 8 }, (_, index) => visit(`198.51.100.${index % attackers}`));
      const honest = Array.from({ length: PAYERS_A_STEP }, (_, next) => visit(`203.0.113.${payer + next}`));
      flood.push(...(await Promise.all(hostile)).flat());
      payers.push(...(await Promise.all(honest)).flat());
      await round();
      nowMs += STEP_MS;
    }
    expect(payers).toHaveLength(180);
    expect(refusedOf(payers)).toBe(0);
    // The attackers are held at their addresses: of 16 creates a second 5 pass.
    expect(refusedOf(flood)).toBeGreaterThan(flood.length / 8);
    nowMs += 10_000;
  },
);

test('a flood from forty addresses, twice what the shop’s quotas take, refuses no payer on another address either', async () => {
  const shop = await start({ SVC_API_RATE_TEST: '10', SVC_API_RATE_ADDRESS: '2' });
  const visits = (addresses: readonly string[]) => Promise.all(addresses.map((address) => visit(address, shop)));
  const attackers = Array.from({ length: 40 }, (_, index) => `198.51.100.${index}`);
  const [flood, payers]: [number[], number[]] = [[], []];
  for (let step = 0; step < 4; step += 1) {
    flood.push(...(await visits([...attackers, ...attackers])).flat());
    payers.push(...(await visits(Array.from({ length: 15 }, (_, next) => `203.0.113.${step * 15 + next}`))).flat());
    await round();
    nowMs += 1_000;
  }
  expect(payers).toHaveLength(180);
  expect(refusedOf(payers)).toBe(0);
  expect(refusedOf(flood)).toBeGreaterThan(flood.length / 4);
  nowMs += 10_000;
});

test('stored bodies are counted by day: one address uses up its own part, and payers still settle', async () => {
  const small = await start({ SVC_API_STORED_BYTES_PER_DAY: '100000', SVC_API_RATE_TEST: '1000' });
  const own = small.account.keys.test.publishable;
  const create = (address: string, note: string) =>
    call(small, 'POST', CREATE, {
      key: own,
      headers: { 'x-forwarded-for': address },
      body: { usdAmount: 1, metadata: { note } },
    });
  const note = 'x'.repeat(1_900);
  // The address has 6,250 bytes a day: three bodies.
  for (let each = 0; each < 3; each += 1) expect((await create('198.51.100.1', note)).statusCode).toBe(402);
  const refused = await create('198.51.100.1', note);
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['ratelimit-policy']).toBe('"address";q=6250;w=86400');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_600);
  // Others use up what the account has, but for less than a body: an address that stores little has a reserve.
  for (let address = 2; address < 20; address += 1)
    await Promise.all([1, 2, 3].map(() => create(`198.51.100.${address}`, note)));
  expect((await create('203.0.113.1', note)).statusCode).toBe(402);
  const settle = await call(small, 'POST', SETTLE, {
    key: own,
    headers: { 'x-forwarded-for': '198.51.100.1' },
    body: { paymentIntentId: newId('paymentIntent', nowMs), paymentHeader: 'e30=' },
  });
  expect(settle.statusCode).not.toBe(429);
});

// Settle under load: rate limits, lanes to wake, many waiting requests, and a process that stops.
import { insertRow } from '@svc-pay/postgres/testing';
import { describe, expect, test, vi } from 'vitest';
import { CREATE, call, intentPath, NOTIFY, SETTLE } from '../testing/call.ts';
import { USDC } from '../testing/payment-chain.ts';
import { playCompletion } from '../testing/play-settlement.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startApiProcess } from '../testing/start-api-process.ts';
import { startFakeEngine } from '../testing/start-fake-engine.ts';
import { startPayableApi } from '../testing/start-payable-api.ts';
import { testEnvironment } from '../testing/start-test-api.ts';

const engine = await startFakeEngine();
const api = await startPayableApi({
  SVC_SETTLE_WAIT_MS: '20000',
  SVC_ENGINE_INGRESS_URL: engine.url,
  SVC_API_CACHE_MS: '1000',
});
const { pool } = api.database;
const key = api.account.keys.test.publishable;
const payer = newPayer();
await api.chain.mint(USDC, payer.address, 10n ** 12n);
const relayer = `0x${'4e'.repeat(20)}`;
await insertRow(pool, 'relayers', { network: 'eip155:31337', address: relayer });
await insertRow(pool, 'relayers', { network: 'eip155:31337', address: `0x${'4f'.repeat(20)}`, status: 'retired' });

const newHeader = async () => {
  const intent = await api.newIntent();
  return { paymentIntentId: intent.id, paymentHeader: await signHeader(payer, intent.acceptance) };
};
const settle = (body: object) => call(api, 'POST', SETTLE, { key, body });
const payments = async () =>
  (await pool.query<{ count: number }>("select count(*)::integer from svc.payments where status = 'pending'")).rows[0]
    ?.count;
const isAwake = async () =>
  (await pool.query('select awake from svc.relayers where address = $1', [relayer])).rows[0].awake as boolean;
const within = { timeout: 10_000, interval: 20 };

describe('a lane is woken', () => {
  test('once for many payments, by its name, and marked so; a sleeping one is woken by notify', async () => {
    const bodies = await Promise.all(Array.from({ length: 20 }, newHeader));
    const answers = bodies.map(settle);
    await vi.waitFor(async () => expect(await payments()).toBe(20), within);
    await vi.waitFor(() => expect(engine.heard).toHaveLength(1), within);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(engine.heard).toEqual([`POST /lane/${encodeURIComponent(`eip155:31337/${relayer}`)}/drain/send`]);
    expect(await isAwake()).toBe(true);

    await pool.query('update svc.relayers set awake = false');
    await call(api, 'POST', NOTIFY, { key, body: { paymentIntentId: bodies[0]?.paymentIntentId } });
    await vi.waitFor(() => expect(engine.heard).toHaveLength(2), within);
    for (const { paymentIntentId } of bodies) await playCompletion(pool, paymentIntentId);
    await Promise.all(answers);
  });

  test('or not, when the engine does not hear: the answer stands, the payment is queued, the lane is asleep again', async () => {
    await pool.query('update svc.relayers set awake = false');
    engine.deaf = true;
    const body = await newHeader();
    const heardBefore = engine.heard.length;
    const answer = settle(body);
    await vi.waitFor(() => expect(engine.heard.length).toBeGreaterThan(heardBefore), within);
    await vi.waitFor(async () => expect(await isAwake()).toBe(false), within);
    engine.deaf = false;
    const { rows } = await pool.query('select status from svc.settlements where intent_id = $1', [
      body.paymentIntentId,
    ]);
    expect(rows).toEqual([{ status: 'queued' }]);
    expect(api.logs.join('')).toContain('"event":"lane_not_woken"');
    await playCompletion(pool, body.paymentIntentId);
    expect((await answer).json()).toMatchObject({ status: 'succeeded' });
  });

  test('and nobody who asks about a finished payment wakes anybody', async () => {
    const body = await newHeader();
    const answer = settle(body);
    await vi.waitFor(async () => expect(await payments()).toBe(1), within);
    await playCompletion(pool, body.paymentIntentId);
    await answer;
    await new Promise((resolve) => setTimeout(resolve, 200));
    await pool.query('update svc.relayers set awake = false');
    const heardBefore = engine.heard.length;
    await call(api, 'POST', NOTIFY, { key, body: { paymentIntentId: body.paymentIntentId } });
    await settle(body);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(engine.heard.length).toBe(heardBefore);
  });
});

test('2,048 requests wait at once, others are answered meanwhile, and all hear the end', async () => {
  const bodies = await Promise.all(Array.from({ length: 32 }, newHeader));
  const first = bodies.map(settle);
  await vi.waitFor(async () => expect(await payments()).toBe(32), within);
  const others = Array.from({ length: 2_016 }, (_, index) => settle(bodies[index % 32] ?? {}));
  const answers = Promise.all([...first, ...others]);
  const waiting = async () => Number(/^settle_waits (\d+)$/m.exec(await (await fetch(api.metricsUrl)).text())?.[1]);
  await vi.waitFor(async () => expect(await waiting()).toBe(2_048), { timeout: 15_000, interval: 100 });
  const startMs = performance.now();
  await call(api, 'GET', intentPath(bodies[0]?.paymentIntentId ?? ''), { key });
  expect(performance.now() - startMs).toBeLessThan(3_000);
  for (const { paymentIntentId } of bodies) await playCompletion(pool, paymentIntentId);
  const statuses = new Set((await answers).map((response): string => response.json().status));
  expect(statuses).toEqual(new Set(['succeeded']));
  expect(await waiting()).toBe(0);
});

describe('over its limit', () => {
  test('a claimed header is answered, a new one is told to wait', async () => {
    const limits = { SVC_API_RATE_LIMITS: 'on', SVC_API_RATE_TEST: '4', SVC_API_RATE_ADDRESS: '1000' };
    // The clock stands still, so that no limit refills on a slow machine.
    const startedMs = Date.now();
    const limited = await startPayableApi(limits, { nowMs: () => startedMs });
    await limited.chain.mint(USDC, payer.address, 10n ** 12n);
    const limitedKey = limited.account.keys.test.publishable;
    const send = (body: object) => call(limited, 'POST', SETTLE, { key: limitedKey, body });
    const [one, other] = [await limited.newIntent(), await limited.newIntent()];
    const claimed = { paymentIntentId: one.id, paymentHeader: await signHeader(payer, one.acceptance) };
    const fresh = { paymentIntentId: other.id, paymentHeader: await signHeader(payer, other.acceptance) };
    expect((await send(claimed)).json()).toMatchObject({ status: 'processing' });
    const replays = await Promise.all(Array.from({ length: 20 }, () => send(claimed)));
    expect(new Set(replays.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(replays.at(-1)?.headers['retry-after']).toBeUndefined();
    for (const body of [fresh, { ...claimed, paymentIntentId: other.id }, { paymentIntentId: 'pi_x' }]) {
      const refused = await send(body);
      expect({ status: refused.statusCode, ...refused.json() }).toMatchObject({
        status: 429,
        error: 'rate_limited',
        moneyMoved: 'unknown',
      });
      expect(refused.headers['retry-after']).toBe('1');
    }
    // Who creates is not refused for it.
    expect((await call(limited, 'POST', CREATE, { key: limitedKey, body: { usdAmount: 1 } })).statusCode).toBe(402);
    const text = await (await fetch(limited.metricsUrl)).text();
    expect(text).toContain('requests_limited_total{policy="account",class="settles"} 3');
  });
});

test('SIGTERM lets those who wait go with what is known, and ends within moments', async () => {
  const child = await startApiProcess({
    ...testEnvironment(api.database.url),
    SVC_NETWORKS: api.networks,
    SVC_SETTLE_WAIT_MS: '60000',
  });
  const body = await newHeader();
  const answer = fetch(`${child.url}${SETTLE}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await vi.waitFor(async () => expect(await payments()).toBe(1), within);
  const startMs = performance.now();
  const ended = child.kill('SIGTERM');
  expect(await (await answer).json()).toMatchObject({ status: 'processing' });
  expect(await ended).toBe(0);
  expect(performance.now() - startMs).toBeLessThan(5_000);
  await playCompletion(pool, body.paymentIntentId);
  expect((await settle(body)).json()).toMatchObject({ status: 'succeeded' });
});

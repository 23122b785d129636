// An intent's payable address: for clients without a key, of x402 version 1 and version 2.

import { newId } from '@svc-pay/protocol/ids';
import { x402ChallengeV1 } from '@svc-pay/protocol/x402';
import { describe, expect, test, vi } from 'vitest';
import { CREATE, call, cancelPath, intentPath } from '../testing/call.ts';
import { USDC } from '../testing/payment-chain.ts';
import { playBroadcast, playCompletion, TRANSACTION } from '../testing/play-settlement.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startPayableApi } from '../testing/start-payable-api.ts';
import { startTestApi } from '../testing/start-test-api.ts';

let skippedMs = 0;
const clock = { nowMs: () => Date.now() + skippedMs };
const api = await startPayableApi({ SVC_SETTLE_WAIT_MS: '2500' }, clock);
const { pool } = api.database;
const { publishable: key, secret: secretKey } = api.account.keys.test;
const payer = newPayer();
await api.chain.mint(USDC, payer.address, 10n ** 12n);

const decode = (header: unknown) => JSON.parse(Buffer.from(String(header), 'base64').toString());
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

/** An intent, its payable address, and a signed payload for it. */
async function open(body: object = {}) {
  const asked = { usdAmount: '1.5', tokenShortcode: 'anvil_usdc', ...body };
  const response = await call(api, 'POST', CREATE, { key, body: asked });
  const { paymentIntentId: id, accepts } = response.json();
  const { pathname, search } = new URL(String(response.headers['x-svc-pay-url']));
  const { payload } = decode(await signHeader(payer, accepts[0]));
  return { id, url: `${pathname}${search}`, payload, challenge: decode(response.headers['payment-required']) };
}
type Opened = Awaited<ReturnType<typeof open>>;
const get = ({ url }: Pick<Opened, 'url'>, headers: Record<string, string> = {}) => call(api, 'GET', url, { headers });
const v1Header = ({ payload }: Opened) => ({
  'x-payment': encode({ x402Version: 1, scheme: 'exact', network: 'eip155:31337', payload }),
});
const v2Header = ({ payload, challenge }: Opened) => ({
  'payment-signature': encode({ x402Version: 2, payload, accepted: challenge.accepts[0] }),
});
const payments = async (id: string) =>
  (await pool.query('select id from svc.payments where intent_id = $1', [id])).rows.length;
const isClaimed = (id: string) =>
  vi.waitFor(async () => expect(await payments(id)).toBe(1), { timeout: 5_000, interval: 20 });

test('an open intent answers 402 with version 1’s body and version 2’s header, and neither has the secret', async () => {
  const opened = await open({ tokenShortcode: undefined, symbol: 'USDC', description: 'A page' });
  const response = await get(opened);
  expect(response.statusCode).toBe(402);
  const body = response.json();
  expect(x402ChallengeV1.safeParse(body).success).toBe(true);
  expect(body).toMatchObject({
    x402Version: 1,
    accepts: [
      {
        scheme: 'exact',
        network: 'base-sepolia',
        maxAmountRequired: '1500000',
        resource: expect.stringMatching(/^https?:/),
        description: 'A page',
        extra: { name: 'USDC', version: '2', intentId: opened.id },
      },
    ],
  });
  const { accepts } = decode(response.headers['payment-required']);
  expect(accepts).toEqual(opened.challenge.accepts);
  expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  const secret = opened.url.slice(-22);
  expect(JSON.stringify([response.body, decode(response.headers['payment-required'])])).not.toContain(secret);
});

describe.each([
  ['version 1', v1Header, 'x-payment-response'],
  ['version 2', v2Header, 'payment-response'],
] as const)('%s pays', (_, header, told) => {
  test('with 200, and later reads the outcome at the same address', async () => {
    const opened = await open();
    const answer = get(opened, header(opened));
    await isClaimed(opened.id);
    expect((await get(opened)).statusCode).toBe(202);
    await playCompletion(pool, opened.id);
    const response = await answer;
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ status: 'succeeded', transactionId: TRANSACTION });
    expect(decode(response.headers[told])).toMatchObject({ success: true, transaction: TRANSACTION });
    const later = await get(opened);
    expect(later.statusCode).toBe(200);
    expect(later.json()).toMatchObject({ status: 'completed', transactionId: TRANSACTION });
    expect((await get(opened, header(opened))).json()).toMatchObject({ status: 'succeeded' });
    expect(await payments(opened.id)).toBe(1);
  });

  test('with 202 while the payment is under way', async () => {
    const opened = await open();
    const response = await get(opened, header(opened));
    expect(response.statusCode).toBe(202);
    expect(decode(response.headers[told])).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    expect(response.json().statusUrl).toMatch(new RegExp(`/pay/${opened.id}$`));
    await playBroadcast(pool, opened.id);
    const asked = await get(opened);
    expect(asked.statusCode).toBe(202);
    expect(asked.json()).toMatchObject({ status: 'processing', transactionId: TRANSACTION });
    await playCompletion(pool, opened.id);
  });

  test('refused with 402, the reason, and both challenges of the same intent', async () => {
    const opened = await open();
    const stranger = await open();
    const { payload } = decode(await signHeader(newPayer(), { ...(await api.newIntent()).acceptance }));
    const response = await get(opened, header({ ...stranger, challenge: opened.challenge, payload }));
    expect(response.statusCode).toBe(402);
    expect(response.json()).toMatchObject({ x402Version: 1, error: expect.stringContaining('insufficient_funds') });
    expect(decode(response.headers['payment-required']).accepts).toEqual(opened.challenge.accepts);
    expect(decode(response.headers[told])).toMatchObject({ success: false, transaction: '' });
    expect(await payments(opened.id)).toBe(0);
  });
});

test('a version 2 payment for another intent does not pay this one', async () => {
  const [first, second] = [await open(), await open()];
  const response = await get(first, v2Header(second));
  expect(response.statusCode).toBe(402);
  expect(decode(response.headers['payment-response']).errorMessage).toContain('accepted.extra.intentId');
  expect(await payments(first.id)).toBe(0);
});

test('an intent that can’t be paid any more answers 409, and nothing to sign', async () => {
  const opened = await open();
  await call(api, 'POST', cancelPath(opened.id), { key: secretKey, body: {} });
  for (const headers of [{}, v1Header(opened)] as Record<string, string>[]) {
    const response = await get(opened, headers);
    expect(response.statusCode).toBe(409);
    expect(response.json()).toMatchObject({ status: 'failed', paymentIntent: { status: 'canceled' } });
    expect(response.headers['payment-required']).toBeUndefined();
  }
});

describe('the secret', () => {
  test('opens this intent and nothing else', async () => {
    const [first, second] = [await open(), await open()];
    const secretOf = ({ url }: Opened) => url.slice(url.indexOf('?'));
    const urls = [
      `/pay/${first.id}`,
      `/pay/${first.id}?client_secret=`,
      `/pay/${first.id}${secretOf(second)}`,
      `/pay/${newId('paymentIntent', Date.now())}${secretOf(first)}`,
      `/pay/nothing${secretOf(first)}`,
      `${first.url}&client_secret=${secretOf(first)}`,
    ];
    for (const url of urls) {
      const response = await get({ url }, v1Header(first));
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({ error: 'not_found' });
    }
    expect(await payments(first.id)).toBe(0);
    for (const path of [intentPath(first.id), `${intentPath(first.id)}/stream`])
      expect((await get({ url: `${path}${secretOf(first)}` })).statusCode).toBe(401);
  });

  test('is not needed, and not enough, for anything but GET: HEAD and POST do not pay', async () => {
    const opened = await open();
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE'] as const)
      expect((await call(api, method, opened.url, { headers: v1Header(opened) })).statusCode).toBe(405);
    expect(await payments(opened.id)).toBe(0);
  });

  test('shows what a publishable key sees', async () => {
    const created = await call(api, 'POST', CREATE, {
      key: secretKey,
      body: { usdAmount: '1', tokenShortcode: 'anvil_usdc', metadata: { buyer: 'Ann' } },
    });
    const { pathname, search } = new URL(String(created.headers['x-svc-pay-url']));
    await pool.query(`update svc.intents set status = 'processing' where id = $1`, [created.json().paymentIntentId]);
    const { paymentIntent } = (await get({ url: `${pathname}${search}` })).json();
    expect(paymentIntent.metadata).toEqual({});
  });

  test('of a closed account opens nothing', async () => {
    const other = await startTestApi();
    const response = await call(other, 'POST', CREATE, {
      key: other.account.keys.test.publishable,
      body: { usdAmount: 1 },
    });
    const { pathname, search } = new URL(String(response.headers['x-svc-pay-url']));
    await other.database.pool.query(`update svc.accounts set status = 'closed'`);
    expect((await call(other, 'GET', `${pathname}${search}`)).statusCode).toBe(404);
  });

  test('ends 30 days after the intent was created', async () => {
    const opened = await open();
    skippedMs = 30 * 86_400_000 - 60_000;
    expect((await get(opened)).statusCode).not.toBe(404);
    skippedMs += 120_000;
    expect((await get(opened)).statusCode).toBe(404);
    skippedMs = 0;
  });
});

test('pages may pay: a preflight allows the payment headers, and the answers’ headers are readable', async () => {
  const opened = await open();
  const preflight = await call(api, 'OPTIONS', opened.url, { headers: { origin: 'https://shop.example' } });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers['access-control-allow-methods']).toBe('GET, OPTIONS');
  for (const name of ['PAYMENT-SIGNATURE', 'X-PAYMENT', 'Access-Control-Expose-Headers'])
    expect(preflight.headers['access-control-allow-headers']).toContain(name);
  const response = await get(opened, { origin: 'https://shop.example' });
  expect(response.headers['access-control-allow-origin']).toBe('*');
  for (const name of ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'])
    expect(response.headers['access-control-expose-headers']).toContain(name);
});

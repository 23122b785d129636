import type { UptoSettleResponse } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import { createSvcPay } from '../client.ts';
import { refusal, type Step, fakeService as startFake, unavailable } from '../testing/fake-service.ts';
import { sampleEvent } from '../testing/sample-event.ts';
import type { SettleCall } from './settle-request.ts';

const paymentIntent = sampleEvent('payment_intent.created').data.object as UptoSettleResponse['paymentIntent'];
const settlement = {
  ok: true,
  status: 'succeeded',
  intentStatus: 'completed',
  paymentIntent,
  payment: null,
  transactionId: '0xabc',
  settledAmount: '3750000',
  capAmount: '5000000',
  refundAmount: '1250000',
  platformFeeAmount: '37500',
  externalCostAmount: '12',
};
const call: SettleCall = { paymentIntentId: 'pi_1', settledAmountUsd: '3.75' };

async function fakeService(...steps: Step[]) {
  const { client, ...fake } = await startFake(...steps);
  return { ...fake, client: (more = {}) => client(more).upto };
}

test('settle sends what the interface asks for, and answers the settlement', async () => {
  const { seen, client } = await fakeService({ status: 200, body: settlement });
  const result = await client().settle({ ...call, paymentHeader: 'aGVhZGVy' });
  expect(result).toEqual({ ok: true, settlement });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({
    path: '/sdk/payments/x402/upto/settle',
    headers: { authorization: 'Bearer sk_test_key', 'x-account-id': 'acct_1', 'content-type': 'application/json' },
  });
  expect(JSON.parse(seen[0]!.body)).toEqual({ ...call, paymentHeader: 'aGVhZGVy' });
});

test('an amount in smallest units goes out digit for digit', async () => {
  const { seen, client } = await fakeService({ status: 200, body: settlement });
  const settledAmount = (2n ** 200n).toString();
  await client().settle({ paymentIntentId: 'pi_1', settledAmount });
  expect(seen[0]?.body).toBe(`{"paymentIntentId":"pi_1","settledAmount":"${settledAmount}"}`);
});

test('a settlement that is still processing is neither failed nor repeated', async () => {
  const { seen, client } = await fakeService({ status: 200, body: { ...settlement, status: 'processing' } });
  expect(await client().settle(call)).toMatchObject({ ok: true, settlement: { status: 'processing' } });
  expect(seen).toHaveLength(1);
});

test('release gives the intent back, canceled', async () => {
  const released = { paymentIntentId: 'pi_1', paymentIntent: { ...paymentIntent, status: 'canceled' }, payment: null };
  const { seen, client } = await fakeService('hang up', { status: 200, body: released });
  expect(await client().release({ paymentIntentId: 'pi_1' })).toEqual({ ok: true, released });
  expect(seen.map(({ path }) => path)).toEqual(Array(2).fill('/sdk/payments/x402/upto/release'));
});

describe('retries', () => {
  test.each<[string, Step]>([
    ['the connection broke', 'hang up'],
    ['the service said to repeat', unavailable],
    ['a proxy answered for it', { status: 502, body: '<html>bad gateway</html>' }],
  ])('when %s, the same bytes are sent again', async (_, step) => {
    const { seen, client } = await fakeService(step, step, { status: 200, body: settlement });
    expect(await client().settle(call)).toMatchObject({ ok: true });
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
  });

  test('an attempt that gets no answer ends in time', async () => {
    const { seen, client } = await fakeService('silence', { status: 200, body: settlement });
    expect(await client({ timeoutMs: 100 }).settle(call)).toMatchObject({ ok: true });
    expect(seen).toHaveLength(2);
  });

  test('pauses grow, and Retry-After is kept', async () => {
    const limited: Step = { ...unavailable, status: 429, headers: { 'retry-after': '7' } };
    const { waits, client } = await fakeService(unavailable, unavailable, limited, { status: 200, body: settlement });
    await client().settle(call);
    expect(waits).toHaveLength(3);
    expect(waits[0]).toBeGreaterThanOrEqual(250);
    expect(waits[0]).toBeLessThanOrEqual(375);
    expect(waits[1]).toBeGreaterThanOrEqual(500);
    expect(waits[2]).toBeGreaterThanOrEqual(7_000);
    expect(waits[2]).toBeLessThanOrEqual(7_500);
  });

  test('a call that is told to wait long is not tried again', async () => {
    const { seen, client } = await fakeService({ ...unavailable, headers: { 'retry-after': '3600' } });
    expect(await client().settle(call)).toMatchObject({ ok: false, code: 'service_unavailable', retryable: true });
    expect(seen).toHaveLength(1);
  });

  test('they end', async () => {
    const { seen, client } = await fakeService('hang up');
    expect(await client({ maxAttempts: 3 }).settle(call)).toMatchObject({
      ok: false,
      code: 'no_answer',
      retryable: true,
      moneyMoved: 'unknown',
      httpStatus: null,
    });
    expect(seen).toHaveLength(3);
  });

  test('a refusal that repeating can’t change is not repeated', async () => {
    const { seen, client } = await fakeService({
      status: 409,
      body: refusal('upto_already_settled', { param: 'settledAmount' }),
    });
    expect(await client().settle(call)).toEqual({
      ok: false,
      code: 'upto_already_settled',
      message: 'A sentence.',
      param: 'settledAmount',
      retryable: false,
      moneyMoved: 'no',
      requestId: 'req_7',
      httpStatus: 409,
      retryAfterMs: null,
      idempotencyKey: null,
    });
    expect(seen).toHaveLength(1);
  });
});

describe('whether money moved', () => {
  test('a later refusal does not deny what an attempt without an answer may have done', async () => {
    const { client } = await fakeService('hang up', { status: 401, body: refusal('key_invalid') });
    expect(await client().settle(call)).toMatchObject({ code: 'key_invalid', moneyMoved: 'unknown' });
  });

  test('refusals alone moved nothing', async () => {
    const { client } = await fakeService(unavailable);
    expect(await client().settle(call)).toMatchObject({ code: 'service_unavailable', moneyMoved: 'no' });
  });

  test('the service’s own unknown is kept', async () => {
    const body = refusal('service_unavailable', { retryable: true, moneyMoved: 'unknown' });
    const { client } = await fakeService({ status: 503, body }, unavailable);
    expect(await client().settle(call)).toMatchObject({ moneyMoved: 'unknown' });
  });

  test('a settlement that failed moved nothing, and says why', async () => {
    const failed = { ...settlement, ok: false, status: 'failed', error: 'insufficient_funds', message: 'Too little.' };
    const { seen, client } = await fakeService({ status: 200, body: failed, headers: { 'x-request-id': 'req_8' } });
    expect(await client().settle(call)).toMatchObject({
      ok: false,
      code: 'insufficient_funds',
      requestId: 'req_8',
      message: 'Too little.',
      moneyMoved: 'no',
      httpStatus: 200,
    });
    expect(seen).toHaveLength(1);
  });

  test.each<[string, Step]>([
    ['something else', { status: 200, body: '<html>login</html>' }],
    ['half an answer', { status: 200, body: { ok: true, status: 'succeeded' } }],
    ['another server', { status: 404, body: 'no such page' }],
  ])('%s is no answer to rely on', async (_, step) => {
    const { client } = await fakeService(step);
    const result = await client().settle(call);
    expect(result).toMatchObject({ ok: false, code: 'answer_unreadable', moneyMoved: 'unknown' });
  });
});

test('a redirect is not followed: the key goes nowhere else', async () => {
  const elsewhere = await fakeService({ status: 200, body: settlement });
  const { client } = await fakeService({ status: 307, body: '', headers: { location: elsewhere.baseUrl } });
  expect(await client().settle(call)).toMatchObject({ ok: false, code: 'answer_unreadable', httpStatus: 307 });
  expect(elsewhere.seen).toEqual([]);
});

test.each([
  [{ settledAmountUsd: 0 }],
  [{ settledAmountUsd: -1 }],
  [{ settledAmountUsd: Number.NaN }],
  [{ settledAmountUsd: '1,50' }],
  [{ settledAmountUsd: null }],
  [{ settledAmount: '0' }],
  [{ settledAmount: '01' }],
  [{ settledAmount: '1.0' }],
  [{ settledAmount: '0x10' }],
  [{ settledAmount: (2n ** 256n).toString() }],
  [{ settledAmount: 5 }],
  [{}],
  [{ settledAmount: '1', settledAmountUsd: '1' }],
])('an amount that is none is refused before anything is sent: %j', async (amount) => {
  const { seen, client } = await fakeService({ status: 200, body: settlement });
  const result = await client().settle({ paymentIntentId: 'pi_1', ...amount } as SettleCall);
  expect(result).toMatchObject({ ok: false, moneyMoved: 'no', httpStatus: null });
  expect(seen).toEqual([]);
});

describe('at construction', () => {
  const good = { baseUrl: 'https://pay.shop.test/', secretKey: 'sk_live_key', accountId: 'acct_1' };
  test('an address and a secret key are taken, live over http only on this machine', () => {
    expect(() => createSvcPay(good)).not.toThrow();
    expect(() => createSvcPay({ ...good, baseUrl: 'http://127.0.0.1:8402' })).not.toThrow();
    expect(() => createSvcPay({ ...good, baseUrl: 'http://pay.shop.test', secretKey: 'sk_test_key' })).not.toThrow();
  });
  test.each([
    ['a live key over http', { baseUrl: 'http://pay.shop.test' }],
    ['a publishable key', { secretKey: 'pk_live_key' }],
    ['no key', { secretKey: '' }],
    ['a key with a line end', { secretKey: 'sk_live_key\n' }],
    ['no account', { accountId: '' }],
    ['no address', { baseUrl: 'pay.shop.test' }],
    ['a password in the address', { baseUrl: 'https://user:secret@pay.shop.test' }],
  ])('%s is refused, without repeating it', (_, bad) => {
    const create = () => createSvcPay({ ...good, ...bad });
    expect(create).toThrow(TypeError);
    expect(create).not.toThrow(/live_key|user:secret/);
  });
});

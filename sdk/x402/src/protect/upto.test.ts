import { expect, test, vi } from 'vitest';
import { charge, createProtect } from '../adapters/next.ts';
import { fakeFacilitator, type Script, TRANSACTION } from '../testing/fake-facilitator.ts';
import { decoded, encoded, SIGNED } from '../testing/sample-payment.ts';
import { CONFIRM, CREATE, confirmed, RELEASE, SETTLE, settledAs, UPTO_SCRIPT } from '../testing/upto-script.ts';

const refused = (error: string, more = {}) => ({
  status: 409,
  body: {
    error,
    message: 'A sentence.',
    param: null,
    retryable: false,
    moneyMoved: 'no',
    requestId: 'req_1',
    docUrl: '',
    ...more,
  },
});

type Offered = { readonly extra: Readonly<Record<string, unknown>> };

async function open(script: Script = {}, amount: string | null = '$0.37', status = 200, nowMs = 0) {
  const fake = await fakeFacilitator({ ...UPTO_SCRIPT, ...script });
  const handler = vi.fn(async (request: Request) => {
    if (amount !== null) charge(request, amount);
    return new Response('what was metered', { status });
  });
  const protect = createProtect({ ...fake.options, nowMs: () => nowMs });
  const route = protect({ upTo: '$1.00' }, handler);
  const send = (headers: Record<string, string> = {}, path = '/words') =>
    route(new Request(`http://seller.test${path}`, { headers }));
  const challenge = await send();
  const body = (challenge.status === 402 ? await challenge.json() : { accepts: [] }) as { accepts: Offered[] };
  const accepted = body.accepts[0]!;
  const headerFor = (change = {}) => encoded({ x402Version: 2, payload: SIGNED, accepted: { ...accepted, ...change } });
  const pay = () => send({ 'payment-signature': headerFor() });
  return { ...fake, handler, protect, send, challenge, body, accepted, headerFor, pay };
}

test('the 402 is the service’s own body with a cap, and nothing that a stock client would take for the official scheme', async () => {
  const { challenge, body, callsOf } = await open();
  expect(challenge.status).toBe(402);
  expect(challenge.headers.get('payment-required')).toBeNull();
  expect(body).toMatchObject({
    x402Version: 2,
    paymentIntentId: 'pi_1',
    accepts: [{ scheme: 'upto', maxAmountRequired: '1000000', extra: { intentId: 'pi_1' } }],
    extensions: { 'payment-identifier': { info: { required: false } } },
  });
  expect(callsOf(CREATE)[0]?.body).toMatchObject({ usdAmount: '1', x402Upto: true, resource: '/words' });
});

test('a signature that ends before a handler could be charged for is not confirmed', async () => {
  const endsAtMs = Number(SIGNED.authorization.validBefore) * 1_000;
  const { pay, callsOf, handler } = await open({}, '$0.37', 200, endsAtMs - 61_000);
  expect((await pay()).status).toBe(402);
  expect([callsOf(CONFIRM).length, handler.mock.calls.length]).toEqual([0, 0]);
});

test('the cap is confirmed, the handler runs, what it reports is settled, and then the answer leaves', async () => {
  const { pay, seen, callsOf, handler } = await open();
  const paid = await pay();
  expect(await paid.text()).toBe('what was metered');
  expect(seen.map(({ path }) => path)).toEqual([CREATE, CONFIRM, SETTLE]);
  expect(callsOf(SETTLE)[0]).toMatchObject({
    headers: { authorization: 'Bearer sk_test_key', 'x-account-id': 'acct_1' },
    body: { paymentIntentId: 'pi_1', settledAmountUsd: '0.37' },
  });
  expect(decoded(paid.headers.get('payment-response'))).toMatchObject({
    success: true,
    transaction: TRANSACTION,
    amount: '370000',
  });
  expect(paid.headers.get('cache-control')).toBe('private, no-store');
  expect(handler).toHaveBeenCalledOnce();
});

test.each([
  ['an error of the handler', '$0.37', 500, 500],
  ['a charge of nothing', '$0', 200, 200],
  ['no report', null, 200, 500],
  ['a charge above the cap, which throws', '$1.01', 200, 'throws'],
])('after %s the cap is given back and nothing is settled', async (_, amount, status, expected) => {
  const { pay, callsOf, problems } = await open({}, amount, status);
  const answer = await pay().then(
    (response) => response,
    (error: unknown) => error,
  );
  if (answer instanceof Response) expect(answer.status).toBe(expected);
  else expect(answer).toBeInstanceOf(RangeError);
  expect(callsOf(SETTLE)).toEqual([]);
  expect(callsOf(RELEASE)).toHaveLength(1);
  if (amount === null) expect(problems).toContainEqual(expect.objectContaining({ step: 'charge' }));
});

test('a payment that was confirmed before runs no handler', async () => {
  for (const step of [confirmed(true), refused('upto_already_confirmed')]) {
    const { pay, handler, callsOf } = await open({ [CONFIRM]: [step] });
    expect((await pay()).status).toBe(409);
    expect(handler).not.toHaveBeenCalled();
    expect(callsOf(SETTLE)).toEqual([]);
  }
});

test('a settlement under way is 202 without the body, and the answer leaves at its address when it is paid', async () => {
  const { pay, send, handler } = await open({ [SETTLE]: [settledAs('processing'), settledAs('succeeded')] });
  const pending = await pay();
  expect(pending.status).toBe(202);
  const { statusUrl } = (await pending.json()) as { statusUrl: string };
  expect(await (await send({}, statusUrl.replace('http://seller.test', ''))).text()).toBe('what was metered');
  expect(handler).toHaveBeenCalledOnce();
});

test('a settlement without any answer is pending, one that failed is 402 with another intent, one of somebody else 409', async () => {
  const unanswered = await open({ [SETTLE]: ['hang up'] });
  expect((await unanswered.pay()).status).toBe(202);
  const failed = await open({ [SETTLE]: [refused('insufficient_funds')] });
  const answer = await failed.pay();
  expect([answer.status, await answer.text()]).toEqual([402, expect.not.stringContaining('metered')]);
  const taken = await open({ [SETTLE]: [refused('upto_already_settled')] });
  expect((await taken.pay()).status).toBe(409);
});

test('an intent that this route did not offer is refused: another intent, path, method or cap, or an exact payment', async () => {
  const { send, headerFor, accepted, protect, handler, callsOf } = await open();
  const with2 = protect({ upTo: '$2.00' }, handler);
  const header = headerFor();
  const asked = (init: RequestInit) => new Request('http://seller.test/words', init);
  const refusals = [
    send({ 'payment-signature': headerFor({ extra: { ...accepted.extra, intentId: 'pi_2' } }) }),
    send({ 'payment-signature': headerFor({ extra: { intentId: 'pi_1' } }) }),
    send({ 'payment-signature': headerFor({ scheme: 'exact' }) }),
    send({ 'payment-signature': header }, '/other'),
    with2(asked({ headers: { 'payment-signature': header } })),
  ];
  expect((await Promise.all(refusals)).map(({ status }) => status)).toEqual(Array(refusals.length).fill(402));
  expect(callsOf(CONFIRM)).toEqual([]);
  expect(handler).not.toHaveBeenCalled();
});

test('visitors without a payment make a limited number of intents of a route; above it they share one until it is confirmed', async () => {
  const { send, pay, protect, handler, callsOf } = await open();
  const visits = await Promise.all(Array.from({ length: 200 }, () => send()));
  expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([402]));
  expect(callsOf(CREATE).length).toBeLessThan(80);
  expect((await send({}, '/elsewhere')).status).toBe(503);
  expect((await pay()).status).toBe(200);
  expect((await send()).status).toBe(503);
  const another = protect({ upTo: '$1.00' }, handler);
  expect((await another(new Request('http://seller.test/another'))).status).toBe(402);
});

test('terms that can’t be right are refused when the route is made', async () => {
  const { options } = await fakeFacilitator();
  const { accountId: _, ...nameless } = options;
  const handler = () => new Response();
  expect(() => createProtect(nameless)({ upTo: '$1' }, handler)).toThrow('accountId');
  for (const price of ['', '$', '-1', '$0', '1,50', '$1.5.0', 'free'])
    expect(() => createProtect(options)({ price }, handler)).toThrow(TypeError);
  expect(() => createProtect({ ...options, secretKey: 'pk_test_key' })).toThrow('secretKey');
  expect(() => charge(new Request('http://seller.test'), '$1')).toThrow('upTo');
});

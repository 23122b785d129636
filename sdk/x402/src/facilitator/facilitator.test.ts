import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { expect, test } from 'vitest';
import { fakeFacilitator, PAY_TO, type Script, SETTLED, SUPPORTED, unsettled } from '../testing/fake-facilitator.ts';
import { createFacilitator } from './facilitator.ts';

const payload = { x402Version: 2, payload: {}, accepted: {} };
const requirements = { scheme: 'exact', network: 'eip155:84532', amount: '1' };

test('a stock resource server takes it as its facilitator client', async () => {
  const { options, callsOf } = await fakeFacilitator();
  const client: FacilitatorClient = createFacilitator(options);
  const server = new x402ResourceServer(client);
  await server.initialize();
  expect(callsOf('/x402/supported')[0]?.headers).toMatchObject({
    authorization: 'Bearer sk_test_key',
    'x-account-id': 'acct_1',
  });
});

test('the address to be paid at comes from the service, is asked once, and is limited to the chosen networks', async () => {
  const { options, callsOf } = await fakeFacilitator();
  const { payToOn, soldTokens } = createFacilitator(options);
  expect(await payToOn('eip155:84532')()).toBe(PAY_TO);
  await expect(payToOn('eip155:1')()).rejects.toThrow('not paid on eip155:1');
  expect(await soldTokens()).toEqual([expect.objectContaining({ network: 'eip155:84532', decimals: 6 })]);
  expect(callsOf('/x402/supported')).toHaveLength(1);
  expect(await createFacilitator({ ...options, networks: ['eip155:8453'] }).soldTokens()).toEqual([]);
});

test('what the account is paid in is asked again after a minute, and after a failure at once', async () => {
  let nowMs = 0;
  const { options, callsOf } = await fakeFacilitator({
    '/x402/supported': [{ status: 403, body: {} }, { body: SUPPORTED }],
  });
  const { soldTokens } = createFacilitator({ ...options, nowMs: () => nowMs });
  await expect(soldTokens()).rejects.toThrow('403');
  expect(await soldTokens()).toHaveLength(1);
  nowMs += 59_999;
  await soldTokens();
  expect(callsOf('/x402/supported')).toHaveLength(2);
  nowMs += 1;
  await soldTokens();
  expect(callsOf('/x402/supported')).toHaveLength(3);
});

test('a busy service is asked again with the same bytes; a refusal that stays is given as it came', async () => {
  const busy = { status: 429, ...unsettled('unexpected_settle_error') };
  const refused = { status: 403, ...unsettled('unexpected_settle_error') };
  const { options, callsOf, problems } = await fakeFacilitator({ '/x402/settle': [busy, busy, refused] });
  expect(await createFacilitator(options).settle(payload, requirements)).toEqual(refused.body);
  const bodies = callsOf('/x402/settle').map(({ body }) => JSON.stringify(body));
  expect([bodies.length, new Set(bodies).size]).toEqual([3, 1]);
  expect(problems).toEqual([expect.objectContaining({ step: 'settle', message: expect.stringContaining('403') })]);
});

test.each([
  ['no answer', 'hang up' as const],
  ['a failure of a proxy', { status: 502, body: 'proxy' }],
])('after %s a settle is not denied by a later refusal: it is pending', async (_, lost) => {
  const refused = { status: 403, ...unsettled('unexpected_settle_error') };
  const { options } = await fakeFacilitator({ '/x402/settle': [lost, refused] });
  expect(await createFacilitator(options).settle(payload, requirements)).toMatchObject({
    success: false,
    errorReason: 'settlement_pending',
  });
});

test('a duplicate is a success where an earlier attempt of the same settle had no answer, and only there', async () => {
  const duplicate = unsettled('duplicate_settlement', '0xabc');
  const settled = async (...steps: Script[string]) => {
    const { options } = await fakeFacilitator({ '/x402/settle': steps });
    return createFacilitator(options).settle(payload, requirements);
  };
  const own = await settled('hang up', duplicate);
  expect(own).toMatchObject({ success: true, transaction: '0xabc' });
  expect(own).not.toHaveProperty('errorReason');
  const notOurs = { success: false, errorReason: 'duplicate_settlement' };
  expect(await settled(duplicate)).toMatchObject(notOurs);
  expect(await settled({ status: 429, ...unsettled('unexpected_settle_error') }, duplicate)).toMatchObject(notOurs);
  expect(await settled('hang up', unsettled('duplicate_settlement'))).toMatchObject(notOurs);
});

test('a service that stays busy leaves a settle pending, and a verify without a verdict', async () => {
  const settle = { status: 429, ...unsettled('unexpected_settle_error') };
  const verify = { status: 429, body: { isValid: false, invalidReason: 'unexpected_verify_error' } };
  const { options } = await fakeFacilitator({ '/x402/settle': [settle], '/x402/verify': [verify] });
  const facilitator = createFacilitator(options);
  expect(await facilitator.settle(payload, requirements)).toMatchObject({ errorReason: 'settlement_pending' });
  await expect(facilitator.verify(payload, requirements)).rejects.toThrow('429');
});

test('without an answer a settle is pending and a verify throws', async () => {
  const { options } = await fakeFacilitator({ '/x402/settle': ['hang up'], '/x402/verify': ['hang up'] });
  const { settle, verify } = createFacilitator(options);
  expect(await settle(payload, requirements)).toMatchObject({ success: false, errorReason: 'settlement_pending' });
  await expect(verify(payload, requirements)).rejects.toThrow('/x402/verify');
});

test('a redirect is not followed: the key goes nowhere else', async () => {
  const elsewhere = await fakeFacilitator();
  const headers = { location: `${elsewhere.options.baseUrl}/x402/settle` };
  const { options } = await fakeFacilitator({ '/x402/settle': [{ status: 307, body: {}, headers }] });
  const { settle } = createFacilitator(options);
  expect(await settle(payload, requirements)).not.toMatchObject(SETTLED.body);
  expect(elsewhere.seen).toEqual([]);
});

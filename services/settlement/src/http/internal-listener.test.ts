import type { NotifiedBlock } from '@svc-pay/core';
import type { PaymentToAccept, UptoSettlement } from '@svc-pay/postgres/settlement-service';
import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { createInternalListener } from './internal-listener.ts';

const KEY = 'internal-key-of-the-tests-internal-key';
const INTENT = newId('paymentIntent', 0);
const OWNER = { accountId: newId('account', 0), mode: 'test' } as const;

function listener() {
  const begun: UptoSettlement[] = [];
  const accepted: PaymentToAccept[] = [];
  const notified: NotifiedBlock[] = [];
  const problems: unknown[] = [];
  const app = createInternalListener({
    keys: [KEY],
    clock: { nowMs: () => 0 },
    reportLanes: async () => [],
    reportHealth: async () => [],
    beginUpto: async (settlement) => {
      begun.push(settlement);
      return { ok: true, paymentId: newId('payment', 0), network: evmNetwork(31_337), begunCapAtomic: 5n };
    },
    acceptPayment: async (asked) => {
      accepted.push(asked);
      return asked.keyId === null
        ? { ok: false, code: 'intent_paid_by_another' }
        : { ok: true, intentId: INTENT, changed: true };
    },
    notifyTransfer: async (block) => {
      notified.push(block);
      return block.blockIndex === 0n ? { outcome: 'refused', refusal: 'not_a_transfer' } : { outcome: 'applied' };
    },
    findObstacles: async () => [],
    metrics: async () => '',
    onProblem: (problem) => problems.push(problem),
  });
  const settle = (headers: Record<string, string>, body: object = { paymentIntentId: INTENT, settledAmount: '5' }) =>
    app.inject({ method: 'POST', url: '/evm/settlement/x402-upto', headers, payload: { ...OWNER, ...body } });
  return { app, settle, begun, accepted, notified, problems };
}
const authorized = { authorization: `Bearer ${KEY}` };

test('the call names the account, the mode and the API key on whose behalf it is', async () => {
  const { settle, begun } = listener();
  const keyId = newId('key', 0);
  expect((await settle({ ...authorized, 'x-svc-actor': `key:${keyId}` })).statusCode).toBe(200);
  expect(begun).toEqual([{ ...OWNER, intentId: INTENT, settledAtomic: 5n, keyId }]);
});

test.each([
  ['nobody', undefined],
  ['an operator', 'operator:ann'],
  ['a service', 'service:settlement'],
  ['words', 'the merchant agreed'],
  ['a key and words', 'key:key_0123 approved by ann'],
  ['words and a key', 'operator key:key_0123'],
  ['a key without an id', 'key:'],
  ['a key in capitals', 'key:KEY_0123'],
  ['an endless id', `key:key_${'0'.repeat(41)}`],
])('who names %s as the actor names no key', async (_, actor) => {
  const { settle, begun } = listener();
  const headers = actor === undefined ? authorized : { ...authorized, 'x-svc-actor': actor };
  expect((await settle(headers)).statusCode).toBe(200);
  expect(begun.map(({ keyId }) => keyId)).toEqual([null]);
});

test.each([
  ['no key', {}, 'key_missing'],
  ['another key', { authorization: 'Bearer internal-key-of-somebody-else-0123' }, 'key_invalid'],
  ['no Bearer', { authorization: KEY }, 'key_invalid'],
])('%s: 401, and nothing is begun', async (_, headers, error) => {
  const { app, settle, begun } = listener();
  const response = await settle(headers);
  expect({ status: response.statusCode, ...response.json() }).toMatchObject({ status: 401, error });
  expect((await app.inject({ method: 'GET', url: '/lanes', headers })).statusCode).toBe(401);
  expect(begun).toEqual([]);
});

test.each([
  ['no amount', { paymentIntentId: INTENT }, 400, 'malformed_request'],
  ['a negative amount', { paymentIntentId: INTENT, settledAmount: '-5' }, 400, 'malformed_request'],
  ['a number', { paymentIntentId: INTENT, settledAmount: 5 }, 400, 'malformed_request'],
  ['an id of something else', { paymentIntentId: newId('payment', 0), settledAmount: '5' }, 404, 'not_found'],
  ['no account', { accountId: undefined, paymentIntentId: INTENT, settledAmount: '5' }, 400, 'malformed_request'],
  ['no account’s id', { accountId: INTENT, paymentIntentId: INTENT, settledAmount: '5' }, 404, 'not_found'],
  ['no mode', { mode: undefined, paymentIntentId: INTENT, settledAmount: '5' }, 400, 'malformed_request'],
  ['another mode', { mode: 'dev', paymentIntentId: INTENT, settledAmount: '5' }, 400, 'malformed_request'],
])('%s is refused, and nothing is begun', async (_, body, status, error) => {
  const { settle, begun, problems } = listener();
  const response = await settle(authorized, body);
  expect({ status: response.statusCode, ...response.json() }).toMatchObject({ status, error });
  expect([begun, problems]).toEqual([[], []]);
});

test('a payment is accepted for the named account and key, and a refusal has its code', async () => {
  const { app, accepted } = listener();
  const paymentId = newId('payment', 0);
  const accept = (headers: Record<string, string>, body: object = { paymentId }) =>
    app.inject({ method: 'POST', url: '/payments/accept', headers, payload: { ...OWNER, ...body } });
  const keyId = newId('key', 0);
  expect((await accept({ ...authorized, 'x-svc-actor': `key:${keyId}` })).json()).toEqual({ ok: true, paymentId });
  const refused = await accept(authorized);
  expect([refused.statusCode, refused.json().error]).toEqual([409, 'intent_paid_by_another']);
  expect(accepted).toEqual([
    { ...OWNER, paymentId, keyId },
    { ...OWNER, paymentId, keyId: null },
  ]);
  expect((await accept({})).statusCode).toBe(401);
  expect((await accept(authorized, {})).statusCode).toBe(400);
  expect((await accept(authorized, { paymentId: INTENT })).statusCode).toBe(404);
  expect(accepted).toHaveLength(2);
});

test('notify names a block of a token ledger, and tells what became of it', async () => {
  const { app, notified } = listener();
  const ledger = 'xevnm-gaaaa-aaaar-qafnq-cai';
  const body = { ...OWNER, paymentIntentId: INTENT, ledger, blockIndex: '12345678901234567' };
  const ask = (payload: object, headers: Record<string, string> = authorized) =>
    app.inject({ method: 'POST', url: '/payments/notify', headers, payload });
  expect((await ask(body)).json()).toEqual({ outcome: 'applied', refusal: null });
  expect((await ask({ ...body, blockIndex: '0' })).json()).toEqual({ outcome: 'refused', refusal: 'not_a_transfer' });
  expect(notified[0]).toEqual({ ...OWNER, intentId: INTENT, ledger, blockIndex: 12_345_678_901_234_567n });
  for (const wrong of [
    { blockIndex: 1 },
    { blockIndex: '-1' },
    { blockIndex: '9999999999999999999' },
    { ledger: '0xaa' },
  ])
    expect((await ask({ ...body, ...wrong })).statusCode).toBe(400);
  expect((await ask({ ...body, paymentIntentId: 'pi_no' })).statusCode).toBe(404);
  expect((await ask(body, {})).statusCode).toBe(401);
  expect(notified).toHaveLength(2);
});

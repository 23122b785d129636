// The API's part of accepting a mismatched payment. What settlement writes: packages/postgres/src/direct/accept-payment.test.ts.
import { insertRow } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';
import { listedPayment } from '@svc-pay/protocol/merchant';
import { expect, test } from 'vitest';
import { call } from '../testing/call.ts';
import { seedAccount } from '../testing/seed-account.ts';
import { startFakeSettlement } from '../testing/start-fake-settlement.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const INTERNAL_KEY = 'the-internal-key-of-these-tests-0123456789';
const settlement = await startFakeSettlement();
const api = await startTestApi({ SVC_SETTLEMENT_URL: settlement.url, SVC_INTERNAL_KEY: INTERNAL_KEY });
const { pool } = api.database;
const { accountId, keys } = api.account;
const [paymentId, intentId] = [newId('payment', Date.now()), newId('paymentIntent', Date.now())];
const owner = { account_id: accountId, mode: 'test' };
const expires_at = new Date(Date.now() + 60_000);
await insertRow(pool, 'intents', { ...owner, id: intentId, payment_id: paymentId, status: 'mismatched', expires_at });
await insertRow(pool, 'payments', { ...owner, id: paymentId, intent_id: intentId, status: 'mismatched' });

const accept = async (key: string, id: string = paymentId) => {
  const answer = await call(api, 'POST', `/sdk/payments/${id}/accept`, { key });
  return { status: answer.statusCode, body: answer.json() };
};

test('settlement is asked for the payment of the caller, and the payment is answered as it stands', async () => {
  settlement.answer = async () => ({ ok: true });
  const { status, body } = await accept(keys.test.secret);
  expect(status).toBe(200);
  expect(listedPayment.parse(body)).toMatchObject({ id: paymentId, paymentIntent: { id: intentId } });
  expect(settlement.heard).toMatchObject([
    { authorization: `Bearer ${INTERNAL_KEY}`, body: { accountId, mode: 'test', paymentId } },
  ]);
});

test('a publishable key, another account and an unknown payment reach nobody', async () => {
  const before = settlement.heard.length;
  const other = await seedAccount(pool);
  expect((await accept(keys.test.publishable)).status).toBe(403);
  expect(await accept(other.keys.test.secret)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect((await accept(keys.test.secret, newId('payment', 0))).status).toBe(404);
  expect((await accept(keys.test.secret, 'nonsense')).status).toBe(404);
  expect(settlement.heard).toHaveLength(before);
});

test.each(['payment_not_mismatched', 'intent_paid_by_another', 'intent_payment_under_way', 'payment_being_refunded'])(
  'a refusal by settlement is told: %s',
  async (error) => {
    settlement.answer = async () => ({ error });
    expect(await accept(keys.test.secret)).toMatchObject({ status: 409, body: { error } });
  },
);

test('without an answer of settlement nothing is concluded', async () => {
  settlement.answer = async () => undefined;
  expect(await accept(keys.test.secret)).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
});

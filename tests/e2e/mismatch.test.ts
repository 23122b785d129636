// Payers who call `pay` of the processor with another amount, too late, twice, from another wallet or in another token, and
// what each policy of the merchant makes of it.
import type { MismatchPolicy } from '@svc-pay/core';
import { setMismatchPolicy } from '@svc-pay/postgres/operator';
import { afterAll, expect, test } from 'vitest';
import { intentOf, paymentsOf, unattributedOf } from './direct-shop.ts';
import { NO_WAIT, onePayer, PRICE } from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import { approvedPayer } from './open-pay.ts';
import { openShop, type Shop } from './open-shop.ts';
import { startWorld } from './start-world.ts';
import { createIntent, settle, signHeader } from './wallet.ts';

const world = await startWorld({
  ...NO_WAIT,
  rpcUrls: async (url) => [url, url.replace('127.0.0.1', 'localhost')],
  settlement: { SVC_READER_EVERY_MS: '200', SVC_READER_CLAIM_MS: '500' },
});
const { chain, apiUrl, database } = world;

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

/** A merchant with this policy, and a payer of theirs. */
async function openWith(policy: Partial<MismatchPolicy>) {
  const shop = await openShop(database.pool, chain);
  const operation = { pool: database.pool, nowMs: Date.now(), actor: 'operator:test' };
  await setMismatchPolicy(operation, shop.accountId, 'test', policy);
  const { rows } = await database.pool.query<{ payout_id: string }>(
    'select payout_id from svc.payouts where account_id = $1',
    [shop.accountId],
  );
  const payoutId = BigInt(rows[0]?.payout_id ?? 0);
  const payer = await approvedPayer(world, 20n * PRICE);
  const offer = (body: object = {}) =>
    createIntent({ apiUrl, shop }, { usdAmount: '1.5', tokenShortcode: 'anvil_usdc', ...body });
  const pay = async (intent: { readonly paymentIntentId: string }, amount: bigint) =>
    payer.pay((await intentOf(world, intent)).code, payoutId, amount);
  return { shop, offer, pay };
}

type Answered = {
  readonly id: string;
  readonly status: string;
  readonly requestedAmount: string;
  readonly paidAmount: string;
  readonly paidTotal: string | null;
  readonly refundDueAmount: string | null;
};

async function ask(shop: Shop, method: 'GET' | 'POST', path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${apiUrl}${path}`, { method, headers: { authorization: `Bearer ${shop.secretKey}` } });
  return { status: response.status, body: await response.json() };
}

/** Payments of an intent as the merchant reads them, oldest first, once there are so many. */
async function paymentsRead(shop: Shop, { paymentIntentId }: { readonly paymentIntentId: string }, count: number) {
  await waitFor(async () => (await paymentsOf(world, { paymentIntentId })).length === count, 30, `${count} payments`);
  const { body } = await ask(shop, 'GET', `/sdk/payments?intentId=${paymentIntentId}`);
  return (body as { data: Answered[] }).data.toReversed();
}

const text = (amount: bigint) => amount.toString();
const HALF = PRICE / 2n;
const MORE = PRICE + HALF;

test.each<[string, Partial<MismatchPolicy>, bigint, Partial<Answered>, string]>([
  ['less is held', {}, HALF, { status: 'mismatched', refundDueAmount: null }, 'mismatched'],
  ['less is accepted', { under: 'accept' }, HALF, { status: 'completed', paidTotal: text(HALF) }, 'completed'],
  [
    'less is due back',
    { under: 'refund' },
    HALF,
    { status: 'mismatched', refundDueAmount: text(HALF) },
    'requires_payment',
  ],
  [
    'more is due back',
    {},
    MORE,
    { status: 'completed', paidTotal: text(MORE), refundDueAmount: text(HALF) },
    'completed',
  ],
  ['more is accepted', { over: 'accept' }, MORE, { status: 'completed', refundDueAmount: null }, 'completed'],
  ['more is held', { over: 'hold' }, MORE, { status: 'mismatched', refundDueAmount: null }, 'mismatched'],
])('where %s', async (_, policy, amount, expected, intentStatus) => {
  const { shop, offer, pay } = await openWith(policy);
  const intent = await offer();
  await pay(intent, amount);
  const [payment] = await paymentsRead(shop, intent, 1);
  expect(payment).toMatchObject({ requestedAmount: text(PRICE), paidAmount: text(amount), ...expected });
  expect((await intentOf(world, intent)).status).toBe(intentStatus);
  const [row] = await paymentsOf(world, intent);
  const last = expected.status === 'completed' ? 'payment.completed' : 'payment.updated';
  expect(row).toMatchObject({ proofs: 1, events: ['payment.created', last] });
});

test('parts add up, one unit on an open code changes nothing, and the last part is the only completed payment', async () => {
  const { shop, offer, pay } = await openWith({});
  const intent = await offer();
  const dust = await pay(intent, 1n);
  await waitFor(async () => (await unattributedOf(world, dust)).length === 1, 30, 'the receipt is stored');
  expect(await unattributedOf(world, dust)).toEqual(['below_minimum']);
  expect(await paymentsOf(world, intent)).toEqual([]);
  expect((await intentOf(world, intent)).status).toBe('requires_payment');
  await pay(intent, HALF);
  await paymentsRead(shop, intent, 1);
  await pay(intent, PRICE - HALF);
  const payments = await paymentsRead(shop, intent, 2);
  expect(payments.map(({ status, paidTotal }) => [status, paidTotal])).toEqual([
    ['mismatched', null],
    ['completed', text(PRICE)],
  ]);
  expect((await intentOf(world, intent)).status).toBe('completed');
});

test('a header pays an intent of which a stranger paid a part; the part is not accepted then', async () => {
  const { shop, offer, pay } = await openWith({});
  const intent = await offer();
  await pay(intent, HALF);
  const [part] = await paymentsRead(shop, intent, 1);
  const [acceptance] = intent.accepts;
  if (acceptance === undefined || part === undefined) throw new Error('nothing is offered or paid');
  const call = {
    paymentIntentId: intent.paymentIntentId,
    paymentHeader: await signHeader(await onePayer(world), acceptance),
    paymentRequirements: acceptance,
  };
  await settle({ apiUrl, shop }, call);
  const settled = async () => (await settle({ apiUrl, shop }, call)).status === 'succeeded';
  await waitFor(settled, 30, 'succeeded');
  expect(await ask(shop, 'POST', `/sdk/payments/${part.id}/accept`)).toMatchObject({
    status: 409,
    body: { error: 'intent_paid_by_another' },
  });
});

test('paid twice, too late and from another wallet: told as payments beside the intent, and nothing is lost', async () => {
  const { shop, offer, pay } = await openWith({});
  const twice = await offer();
  await pay(twice, PRICE);
  await paymentsRead(shop, twice, 1);
  await pay(twice, PRICE);
  const [, second] = await paymentsRead(shop, twice, 2);
  expect(second).toMatchObject({ status: 'mismatched', refundDueAmount: text(PRICE) });
  expect((await intentOf(world, twice)).status).toBe('completed');

  const late = await offer();
  await ask(shop, 'POST', `/sdk/payments/intents/${late.paymentIntentId}/cancel`);
  await pay(late, PRICE);
  const [afterwards] = await paymentsRead(shop, late, 1);
  expect(afterwards).toMatchObject({ status: 'mismatched', refundDueAmount: text(PRICE) });
  expect((await intentOf(world, late)).status).toBe('canceled');

  const expected = await offer({ expectedSenderPrincipal: `0x${'d3'.repeat(20)}` });
  await pay(expected, PRICE);
  const [foreign] = await paymentsRead(shop, expected, 1);
  expect(foreign).toMatchObject({ status: 'mismatched', refundDueAmount: text(PRICE) });
  expect((await intentOf(world, expected)).status).toBe('requires_payment');
});

test('another token and the payout of another merchant are no payment of the intent', async () => {
  const { offer, pay } = await openWith({});
  const inOtherToken = await offer({ usdAmount: '1', tokenShortcode: 'anvil_vol' });
  const other = await pay(inOtherToken, PRICE);
  await waitFor(async () => (await unattributedOf(world, other)).length === 1, 30, 'the receipt is stored');
  expect(await unattributedOf(world, other)).toEqual(['other_terms']);
  expect(await paymentsOf(world, inOtherToken)).toEqual([]);
  const rival = await openWith({});
  const intent = await offer();
  const receipt = await rival.pay(intent, PRICE);
  await waitFor(async () => (await unattributedOf(world, receipt)).length === 1, 30, 'the receipt is stored');
  expect(await unattributedOf(world, receipt)).toEqual(['other_terms']);
  expect(await paymentsOf(world, intent)).toEqual([]);
});

test('a held payment is accepted once, by the merchant’s own key, and completes the intent', async () => {
  const { shop, offer, pay } = await openWith({ over: 'hold' });
  const other = await openShop(database.pool, chain);
  const intent = await offer();
  await pay(intent, MORE);
  const [held] = await paymentsRead(shop, intent, 1);
  const accept = (by: Shop) => ask(by, 'POST', `/sdk/payments/${held?.id}/accept`);
  expect(await accept(other)).toMatchObject({ status: 404 });
  for (const _ of [1, 2])
    expect(await accept(shop)).toMatchObject({
      status: 200,
      body: { status: 'completed', paidTotal: text(MORE), paymentIntent: { status: 'completed' } },
    });
  const [row] = await paymentsOf(world, intent);
  expect(row).toMatchObject({
    status: 'completed',
    events: ['payment.created', 'payment.updated', 'payment.completed'],
  });
});

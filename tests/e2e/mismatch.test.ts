// Payers who call `pay` of the processor with another amount, too late, twice, from another wallet or in another token, and
// what each policy of the merchant makes of it.
import type { MismatchPolicy } from '@svc-pay/core';
import type { RegularOffer } from '@svc-pay/protocol';
import { afterAll, expect, test } from 'vitest';
import { intentOf, paymentsOf, unattributedOf } from './direct-shop.ts';
import { NO_WAIT, onePayer, PRICE } from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import { askAs, HALF, inTurn, MORE, paymentsRead, setPolicy, type Till, testEachPolicy } from './mismatch-cases.ts';
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

/** A merchant with this policy, and payers of theirs. */
async function openWith(policy: Partial<MismatchPolicy>) {
  const shop = await openShop(database.pool, chain);
  await setPolicy(world, shop, policy);
  const { rows } = await database.pool.query<{ payout_id: string }>(
    'select payout_id from svc.payouts where account_id = $1',
    [shop.accountId],
  );
  const payoutId = BigInt(rows[0]?.payout_id ?? 0);
  const offer = (body: object = {}) =>
    createIntent({ apiUrl, shop }, { usdAmount: '1.5', tokenShortcode: 'anvil_usdc', ...body });
  const payer = await approvedPayer(world, 20n * PRICE);
  const pay = inTurn(async (paymentIntentId: string, amount: bigint) =>
    payer.pay((await intentOf(world, { paymentIntentId })).code, payoutId, amount),
  );
  return { shop, payoutId, offer, pay };
}

async function openTill(): Promise<Till> {
  const { shop, payoutId, offer, pay } = await openWith({});
  const other = await approvedPayer(world, PRICE, chain.tokens.vol);
  return {
    shop,
    absent: `0x${'d3'.repeat(20)}`,
    offer: async (body) => (await offer(body)).paymentIntentId,
    pay,
    payOtherToken: async (paymentIntentId) => {
      const sent = await other.pay((await intentOf(world, { paymentIntentId })).code, payoutId, PRICE);
      await waitFor(async () => (await unattributedOf(world, sent)).length === 1, 30, 'the receipt is stored');
      expect(await unattributedOf(world, sent)).toEqual(['other_terms']);
    },
  };
}

await testEachPolicy(world, openTill);

const text = (amount: bigint) => amount.toString();

test('parts add up, one unit on an open code changes nothing, and the last part is the only completed payment', async () => {
  const { shop, offer, pay } = await openWith({});
  const intent = await offer();
  const dust = await pay(intent.paymentIntentId, 1n);
  await waitFor(async () => (await unattributedOf(world, dust)).length === 1, 30, 'the receipt is stored');
  expect(await unattributedOf(world, dust)).toEqual(['below_minimum']);
  expect(await paymentsOf(world, intent)).toEqual([]);
  expect((await intentOf(world, intent)).status).toBe('requires_payment');
  await pay(intent.paymentIntentId, HALF);
  await paymentsRead(world, shop, intent.paymentIntentId, 1);
  const offered = await askAs(world, shop, 'GET', `/sdk/public/payments/intents/${intent.paymentIntentId}/regular`);
  const [rest] = (offered.body as RegularOffer).regular;
  expect(rest).toMatchObject({ amount: text(PRICE - HALF), requestedAmount: text(PRICE), paidAmount: text(HALF) });
  await pay(intent.paymentIntentId, BigInt(rest?.amount ?? 0));
  const payments = await paymentsRead(world, shop, intent.paymentIntentId, 2);
  expect(payments.map(({ status, paidTotal }) => [status, paidTotal])).toEqual([
    ['mismatched', null],
    ['completed', text(PRICE)],
  ]);
  expect((await intentOf(world, intent)).status).toBe('completed');
});

test('a header pays an intent of which a stranger paid a part; the part is not accepted then', async () => {
  const { shop, offer, pay } = await openWith({});
  const intent = await offer();
  await pay(intent.paymentIntentId, HALF);
  const [part] = await paymentsRead(world, shop, intent.paymentIntentId, 1);
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
  expect(await askAs(world, shop, 'POST', `/sdk/payments/${part.id}/accept`)).toMatchObject({
    status: 409,
    body: { error: 'intent_paid_by_another' },
  });
});

test('money for the payout of another merchant is no payment of the intent', async () => {
  const { offer } = await openWith({});
  const rival = await openWith({});
  const intent = await offer();
  const receipt = await rival.pay(intent.paymentIntentId, PRICE);
  await waitFor(async () => (await unattributedOf(world, receipt)).length === 1, 30, 'the receipt is stored');
  expect(await unattributedOf(world, receipt)).toEqual(['other_terms']);
  expect(await paymentsOf(world, intent)).toEqual([]);
});

test('a held payment is accepted once, by the merchant’s own key, and completes the intent', async () => {
  const { shop, offer, pay } = await openWith({ over: 'hold' });
  const other = await openShop(database.pool, chain);
  const intent = await offer();
  await pay(intent.paymentIntentId, MORE);
  const [held] = await paymentsRead(world, shop, intent.paymentIntentId, 1);
  const accept = (by: Shop) => askAs(world, by, 'POST', `/sdk/payments/${held?.id}/accept`);
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

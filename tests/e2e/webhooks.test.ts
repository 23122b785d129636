// The interface's trigger table, row by row, from payments on a real chain to a merchant's server. The rows of flows that
// end otherwise (cancelled, refunded, mismatched) are in every-status.test.ts.
import type { Hex } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { chainTrouble } from './chain-trouble.ts';
import { ledgerCheck } from './ledger-check.ts';
import { richPayers, waitFor } from './many-payments.ts';
import { openShop } from './open-shop.ts';
import { startWorld } from './start-world.ts';
import { nodeOf } from './stranger.ts';
import { confirm, prepareUpto, settleUpto } from './upto-calls.ts';
import { type Acceptance, type Payer, type PaymentRequired, post, prepare, settle, signHeader } from './wallet.ts';
import { type Heard, openEndpoint } from './webhook-receiver.ts';

const EVENT_TYPES = [
  'payment_intent.created',
  'x402_upto_authorization_received',
  'payment_intent.canceled',
  'payment.created',
  'payment.updated',
  'payment.completed',
  'payment.failed',
  'payment.cancelled',
  'payment.refunded',
];
const PRICE = '1500000';

// Final after 64 blocks: leaves time for a reorg before.
const world = await startWorld({ webhooks: true, slotsInAnEpoch: 32, blockTimeSeconds: 0.2 });
const { shop, chain } = world;
const everything = await openEndpoint(world, { eventTypes: EVENT_TYPES, headers: { 'X-Shop': 'a b' } });
const completedOnly = await openEndpoint(world, { eventTypes: ['payment.completed'] });
const stranger = await openEndpoint(world, {
  eventTypes: EVENT_TYPES,
  shop: await openShop(world.database.pool, chain),
});
const [payer, poor] = (await richPayers(world, 2)) as [Payer, Payer];
const asset = chain.tokens.usdc.toLowerCase();
const metadata = { order: 'A-7', lines: [1, { deep: 'ü' }] };
const lower = (value: unknown) => String(value).toLowerCase();

/** Waits for all events of an intent, and checks what holds for every event. */
async function hear(paymentIntentId: string, types: readonly string[]): Promise<readonly Heard[]> {
  await waitFor(async () => everything.of(paymentIntentId).length >= types.length, 20, types.join(', '));
  const heard = everything.of(paymentIntentId);
  expect(heard.map(({ event }) => event.type)).toEqual(types);
  expect(heard.map(({ sequence }) => sequence)).toEqual(types.map((_, index) => index + 1));
  expect(new Set(heard.map(({ event }) => event.id)).size).toBe(types.length);
  for (const { event, problems, headers } of heard) {
    expect(problems).toEqual([]);
    expect(headers).toMatchObject({ 'x-shop': 'a b', 'webhook-id': event.id, 'content-type': 'application/json' });
    expect(event).toMatchObject({
      object: 'event',
      api_version: '2026-11-15',
      livemode: false,
      pending_webhooks: event.type === 'payment.completed' ? 2 : 1,
      request: { id: expect.stringMatching(/^\w+_\w+$/), idempotency_key: null },
    });
    expect(Math.abs(event.created - Date.now() / 1_000)).toBeLessThan(60);
  }
  return heard;
}

/** Fields of every event of a payment by `payer` for `amount`. */
const paymentFields = (paymentIntentId: string, amount: string, requested = amount) => ({
  id: expect.stringMatching(/^pay_/),
  accountId: shop.accountId,
  paymentIntentId,
  amount,
  accountCanisterId: null,
  basePaymentAccountId: null,
  invoiceId: null,
  requestedAmount: requested,
  network: 'evm',
  token: 'USDC',
  intent: { id: paymentIntentId, intentCode: expect.any(Number), amount: requested, createdAt: expect.any(String) },
});
const linkedFields = (transactionId: string | null | undefined) => ({
  status: 'pending',
  transactionId,
  ledgerTxId: transactionId,
  transactionSplitId: null,
  paidAmount: null,
});
const settledFields = (transactionId: string | null | undefined, amount: string) => ({
  status: 'completed',
  transactionId,
  ledgerTxId: transactionId,
  transactionSplitId: expect.stringMatching(new RegExp(`^${transactionId}:\\d+$`)),
  canisterTxId: expect.stringMatching(/^\d+$/),
  paidAmount: amount,
  completedAt: expect.any(String),
});

test('an exact payment: payment_intent.created, payment.created, payment.completed', async () => {
  const response = await post(`${world.apiUrl}/sdk/public/payments/intents/x402`, shop.publishableKey, {
    usdAmount: '1.5',
    tokenShortcode: 'anvil_usdc',
    description: 'Tea',
    metadata,
  });
  const { paymentIntentId, accepts } = (await response.json()) as PaymentRequired;
  const paymentRequirements = accepts[0] as Acceptance;
  const paymentHeader = await signHeader(payer, paymentRequirements);
  const settled = await settle(world, { paymentIntentId, paymentHeader, paymentRequirements });
  expect(settled.status).toBe('succeeded');
  const [created, linked, completed] = await hear(paymentIntentId, [
    'payment_intent.created',
    'payment.created',
    'payment.completed',
  ]);
  expect(created?.event).toMatchObject({
    request: { id: response.headers.get('x-request-id') },
    data: {
      object: {
        id: paymentIntentId,
        accountId: shop.accountId,
        amount: PRICE,
        description: 'Tea',
        expectedSenderPrincipal: null,
        status: 'requires_payment',
        metadata,
        x402_upto: false,
      },
    },
  });
  expect(lower(created?.event.data.object['ledgerCanisterId'])).toBe(asset);
  for (const [heard, fields] of [
    [linked, linkedFields(settled.transactionId)],
    [completed, settledFields(settled.transactionId, PRICE)],
  ] as const) {
    expect(heard?.event.data.object).toMatchObject({
      ...paymentFields(paymentIntentId, PRICE),
      ...fields,
      metadata,
    });
    expect(heard?.event.data).not.toHaveProperty('previous_attributes');
    expect(lower(heard?.event.data.object['ledgerCanisterId'])).toBe(asset);
  }
  expect(linked?.event.data.object['id']).toBe(settled.payment?.id);
});

test('payment.created comes while no block has the payment; event, status, stream and settle name one transaction', async () => {
  const { stopMining, node } = chainTrouble(world);
  await stopMining();
  const call = await prepare(world, payer);
  const { paymentIntentId } = call;
  const settling = settle(world, call);
  const [, linked] = await hear(paymentIntentId, ['payment_intent.created', 'payment.created']);
  const transactionId = String(linked?.event.data.object['transactionId']);
  expect(linked?.event.data.object).toMatchObject(linkedFields(transactionId));
  await expect(node.getTransactionReceipt({ hash: transactionId as Hex })).rejects.toThrow();
  const headers = { authorization: `Bearer ${shop.secretKey}` };
  const url = `${world.apiUrl}/sdk/public/payments/intents/${paymentIntentId}`;
  const status = (await (await fetch(url, { headers })).json()) as { payment: { transactionId: string } };
  expect(status.payment.transactionId).toBe(transactionId);
  await node.setIntervalMining({ interval: 1 });
  expect(await settling).toMatchObject({ status: 'succeeded', transactionId, payment: { transactionId } });
  await hear(paymentIntentId, ['payment_intent.created', 'payment.created', 'payment.completed']);
});

test('an intent that is canceled, and one that expires: payment_intent.canceled', async () => {
  const { paymentIntentId: canceled } = await prepare(world, payer);
  const headers = { authorization: `Bearer ${shop.secretKey}` };
  const url = `${world.apiUrl}/sdk/payments/intents/${canceled}/cancel`;
  expect((await fetch(url, { method: 'POST', headers })).status).toBe(200);
  const { paymentIntentId: expired } = await prepare(world, payer);
  // The chain reader has read that far.
  const expire = "update svc.intents set expires_at = now() - interval '1 hour' where id = $1";
  await world.database.pool.query(expire, [expired]);
  for (const id of [canceled, expired]) {
    const [, told] = await hear(id, ['payment_intent.created', 'payment_intent.canceled']);
    expect(told?.event.data.object).toMatchObject({ id, accountId: shop.accountId, status: 'canceled' });
  }
});

test('an up-to payment: x402_upto_authorization_received at the confirm, the payment at the settle', async () => {
  const call = await prepareUpto(world, payer);
  const { paymentIntentId } = call;
  await confirm(world, call);
  const [, received] = await hear(paymentIntentId, ['payment_intent.created', 'x402_upto_authorization_received']);
  const snapshot = received?.event.data.object ?? {};
  expect(snapshot).toMatchObject({
    id: paymentIntentId,
    object: 'payment_intent',
    paymentIntentId,
    status: 'requires_payment',
    amount: '5000000',
    metadata: { svc_x402_upto_max_amount_atomic: '5000000' },
    intentCode: expect.any(Number),
  });
  expect(lower(snapshot['payer'])).toBe(payer.address.toLowerCase());
  expect(lower(snapshot['ledgerCanisterId'])).toBe(asset);
  const settled = await settleUpto(world, { paymentIntentId, settledAmount: '1234' });
  const [, , , completed] = await hear(paymentIntentId, [
    'payment_intent.created',
    'x402_upto_authorization_received',
    'payment.created',
    'payment.completed',
  ]);
  expect(completed?.event.data.object).toMatchObject({
    ...paymentFields(paymentIntentId, '1234', '5000000'),
    ...settledFields(settled.body.transactionId, '1234'),
  });
});

test('a chain that takes a payment back: payment.updated with what was before, then payment.completed again', async () => {
  const node = nodeOf(world);
  const call = await prepare(world, payer);
  const { transactionId } = await settle(world, call);
  const block = (await node.findBlock(transactionId as Hex)) ?? 0n;
  await node.reorganise(Number((await node.blockNumber()) - block) + 1);
  const heard = await hear(call.paymentIntentId, [
    'payment_intent.created',
    'payment.created',
    'payment.completed',
    'payment.updated',
    'payment.completed',
  ]);
  expect(heard[3]?.event.data).toMatchObject({
    object: { ...paymentFields(call.paymentIntentId, PRICE), status: 'pending', paidAmount: null },
    previous_attributes: { status: 'completed', paidAmount: PRICE },
  });
  expect(heard[4]?.event.data.object).toMatchObject(settledFields(transactionId, PRICE));
});

test('a payment that fails: payment.created, and payment.failed beside it', async () => {
  const call = await prepare(world, poor);
  await world.settlement.kill('SIGKILL');
  const settling = settle(world, call);
  const claimed = 'select from svc.payments where intent_id = $1';
  await waitFor(
    async () => (await world.database.pool.query(claimed, [call.paymentIntentId])).rows.length === 1,
    20,
    'claimed',
  );
  await chain.emptyWallet(chain.tokens.usdc, poor.address);
  await world.settlement.start();
  expect(await settling).toMatchObject({ status: expect.stringMatching(/^(?:failed|processing)$/) });
  const [, created, failed] = await hear(call.paymentIntentId, [
    'payment_intent.created',
    'payment.created',
    'payment.failed',
  ]);
  for (const heard of [created, failed]) {
    expect(heard?.event.data.object).toMatchObject({
      ...paymentFields(call.paymentIntentId, PRICE),
      status: 'failed',
      transactionId: null,
      ledgerTxId: null,
      paidAmount: null,
    });
    expect(heard?.event.data.object).not.toHaveProperty('completedAt');
  }
});

afterAll(async () => {
  // Over all tests above: each event arrives once, at the subscribed endpoints only.
  const ids = everything.heard.map(({ event }) => event.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(completedOnly.heard.map(({ event }) => event.type)).toEqual(Array(5).fill('payment.completed'));
  expect(completedOnly.heard.flatMap(({ problems }) => problems)).toEqual([]);
  expect(stranger.heard).toEqual([]);
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

// Rows of the interface's trigger table that no on-chain payment reaches today. The rules produce them, the database
// accepts them, and they are delivered like any other event.
import {
  draftEvents,
  eventsFor,
  type Intent,
  PAYMENT_TRANSITIONS,
  type Snapshot,
  type StoredPayment,
  transition,
} from '@svc-pay/core';
import { sampleIntent, samplePayment } from '@svc-pay/core/testing';
import { atomicAmount } from '@svc-pay/money';
import { writeEvents } from '@svc-pay/postgres/testing';
import type { PaymentStatus } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { startDeliveryWorld } from '../testing/delivery-world.ts';
import { differencesFromTheText } from '../testing/events-by-the-text.ts';
import { startReceiver } from '../testing/receiver.ts';
import { verifyByTheText } from '../testing/verify-by-the-text.ts';

const { shop, clock, settle, pool } = await startDeliveryWorld();
const receiver = await startReceiver();
const other = await startReceiver();
const PAYMENT_TYPES = ['created', 'updated', 'completed', 'failed', 'cancelled', 'refunded'];
await shop.addEndpoint({ url: receiver.url, eventTypes: PAYMENT_TYPES.map((name) => `payment.${name}`) });
await shop.addEndpoint({ url: other.url, eventTypes: ['payment.refunded'] });

const HASH = `0x${'ab'.repeat(32)}`;
const intentOf = (): Intent =>
  sampleIntent({
    id: newId('paymentIntent', clock.nowMs()),
    accountId: shop.accountId,
    status: 'processing',
    createdAtMs: clock.nowMs(),
    expiresAtMs: clock.nowMs() + 60_000,
  });
const paymentOf = (change: Partial<StoredPayment>): StoredPayment =>
  samplePayment({ id: newId('payment', clock.nowMs()), createdAtMs: clock.nowMs(), ...change });

/** Moves the payment to the given status and returns what the receivers get. */
async function become(status: PaymentStatus, before: Partial<StoredPayment>, change: Partial<StoredPayment> = {}) {
  const intent = intentOf();
  const was: Snapshot = { intent, payment: paymentOf(before) };
  const payment = paymentOf({
    ...was.payment,
    ...change,
    status: transition(PAYMENT_TRANSITIONS, was.payment!.status, status, 'unwritten'),
  });
  const is: Snapshot = { intent, payment };
  const origin = { requestId: 'req_cause', idempotencyKey: null };
  const drafts = draftEvents(eventsFor(was, is), is, origin, clock.nowMs(), 4);
  const client = await pool.connect();
  await writeEvents(
    client,
    drafts.map((event) => ({ event, owner: intent })),
  ).finally(() => client.release());
  receiver.requests.length = 0;
  other.requests.length = 0;
  await settle();
  const heard = receiver.requests.map(({ headers, body }) => {
    expect(verifyByTheText(headers, body, shop.secretKey, Math.floor(clock.nowMs() / 1_000))).toBe(true);
    expect(differencesFromTheText(body)).toEqual([]);
    return { sequence: Number(headers['x-svc-sequence']), event: JSON.parse(body.toString()) };
  });
  return {
    payment,
    heard: heard.toSorted((one, two) => one.sequence - two.sequence).map(({ event }) => event),
    others: other.requests.map(({ body }) => JSON.parse(body.toString()).type),
  };
}

test('canceled: payment.created, as it was never announced, then payment.cancelled with status canceled', async () => {
  const { heard, payment, others } = await become('canceled', {});
  expect(heard.map(({ type }) => type)).toEqual(['payment.created', 'payment.cancelled']);
  expect(heard[1]).toMatchObject({
    created: Math.floor(clock.nowMs() / 1_000),
    livemode: false,
    pending_webhooks: 1,
    request: { id: 'req_cause', idempotency_key: null },
    data: { object: { id: payment.id, status: 'canceled', transactionId: null, network: 'evm', token: 'USDC' } },
  });
  expect(others).toEqual([]);
});

test('refunded: payment.refunded alone, to everybody who wants it', async () => {
  const paid = { transactionId: HASH, paidAmount: atomicAmount(1_500_000n), completedAtMs: clock.nowMs() };
  const { heard, others } = await become('refunded', { ...paid, status: 'completed', announced: true });
  expect(heard).toMatchObject([
    {
      type: 'payment.refunded',
      pending_webhooks: 2,
      data: { object: { status: 'refunded', transactionId: HASH, ledgerTxId: HASH, paidAmount: '1500000' } },
    },
  ]);
  expect(heard[0].data).not.toHaveProperty('previous_attributes');
  expect(others).toEqual(['payment.refunded']);
  // A payment's event goes first, as its transaction wrote it.
  const { rows } = await pool.query('select distinct goes_first from svc.deliveries');
  expect(rows).toEqual([{ goes_first: true }]);
});

test('mismatched: payment.updated with what was before, and both amounts', async () => {
  const { heard } = await become(
    'mismatched',
    { transactionId: HASH, announced: true },
    { paidAmount: atomicAmount(1_400_000n) },
  );
  expect(heard).toMatchObject([
    {
      type: 'payment.updated',
      data: {
        object: { status: 'mismatched', requestedAmount: '1500000', paidAmount: '1400000' },
        previous_attributes: { status: 'pending', paidAmount: null },
      },
    },
  ]);
});

test('a text that differs from the tables is told from one that does not', () => {
  const body = (change: object) => Buffer.from(JSON.stringify({ object: 'event', type: 'payment.failed', ...change }));
  expect(differencesFromTheText(body({}))).toContain('payment.transactionId is missing');
  expect(differencesFromTheText(body({ created: 1_794_744_000_000 }))).toContain(
    'event.created is 1794744000000, not a seconds',
  );
});

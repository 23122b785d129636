// The timeline of a payment over a real database, with the rights of the API. Settlement is played with SQL; the whole service
// writes it in tests/e2e.
import { insertRow, insertRows } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';
import type { PaymentTimeline } from '@svc-pay/protocol/merchant';
import { describe, expect, test } from 'vitest';
import { call, SETTLE } from '../../testing/call.ts';
import { payFinally } from '../../testing/pay-finally.ts';
import { USDC } from '../../testing/payment-chain.ts';
import { playPart } from '../../testing/play-part.ts';
import { playBroadcast, playFailure, TRANSACTION } from '../../testing/play-settlement.ts';
import { ofKind, readTimeline } from '../../testing/read-timeline.ts';
import { seedAccount } from '../../testing/seed-account.ts';
import { newPayer, signHeader } from '../../testing/sign-header.ts';
import { startPayableApi } from '../../testing/start-payable-api.ts';

const api = await startPayableApi();
const { pool } = api.database;
const { accountId, keys } = api.account;
const key = keys.test.secret;
const tenant = { account_id: accountId, mode: 'test' };

const pathOf = (intentId: string) => `/sdk/payment-intents/${intentId}/timeline`;
const timelineOf = (intentId: string) => readTimeline(api, intentId);
const kinds = ({ entries }: PaymentTimeline) => entries.map(({ kind }) => kind);

async function claimed() {
  const payer = newPayer();
  await api.chain.mint(USDC, payer.address, 1_500_000n);
  const intent = await api.newIntent();
  const paymentHeader = await signHeader(payer, intent.acceptance);
  const body = { paymentIntentId: intent.id, paymentHeader };
  expect((await call(api, 'POST', SETTLE, { key, body })).json()).toMatchObject({ status: 'processing' });
  return { intentId: intent.id, payer };
}

test('an unpaid intent shows its offers and waits for a payer', async () => {
  const { id } = await api.newIntent();
  const timeline = await timelineOf(id);
  expect(timeline).toMatchObject({ why: 'awaits_payer', atRest: false, truncated: false, paymentIntent: { id } });
  expect(kinds(timeline)).toEqual(['intent_created', 'event_written']);
  expect(ofKind(timeline, 'intent_created')).toMatchObject([
    { offers: [{ flow: 'x402', scheme: 'exact', chain: 'eip155:31337', amount: '1500000', confirmations: 1 }] },
  ]);
});

test('a canceled intent is canceled, one that was over before is expired', async () => {
  const { id } = await api.newIntent();
  await call(api, 'POST', `/sdk/payments/intents/${id}/cancel`, { key });
  expect(await timelineOf(id)).toMatchObject({ why: 'canceled', atRest: true });
  expect(ofKind(await timelineOf(id), 'intent_canceled')).toMatchObject([{ why: 'canceled' }]);
  await pool.query("update svc.intents set expires_at = created_at - interval '1 second' where id = $1", [id]);
  expect(await timelineOf(id)).toMatchObject({ why: 'expired' });
});

test('a refused header is shown with its code and the payer that it claimed', async () => {
  const { id, acceptance } = await api.newIntent();
  const poor = newPayer();
  const paymentHeader = await signHeader(poor, acceptance);
  await call(api, 'POST', SETTLE, { key, body: { paymentIntentId: id, paymentHeader } });
  expect(ofKind(await timelineOf(id), 'attempt_refused')).toMatchObject([
    { why: 'insufficient_funds', payer: poor.address.toLowerCase() },
  ]);
});

test('a claimed payment goes from the queue to a batch, through each transaction that was signed, to a final block', async () => {
  const { intentId, payer } = await claimed();
  const queued = await timelineOf(intentId);
  expect(queued).toMatchObject({ why: 'awaits_lane', atRest: false });
  expect(ofKind(queued, 'authorization_received')).toMatchObject([
    { cap: '1500000', charged: '1500000', released: null, closedAt: null },
  ]);
  expect(ofKind(queued, 'authorization_received')[0]?.payer.toLowerCase()).toBe(payer.address.toLowerCase());
  expect(ofKind(queued, 'payment_started')).toMatchObject([{ why: 'awaits_lane', settlementStatus: 'queued' }]);

  await playBroadcast(pool, intentId);
  const { rows } = await pool.query<{ batch_id: string }>('select batch_id from svc.settlements where intent_id = $1', [
    intentId,
  ]);
  const batch = {
    network: 'eip155:31337',
    batch_id: rows[0]?.batch_id,
    mode: 'test',
    raw_transaction: Buffer.from('00'),
  };
  const first = `0x${'11'.repeat(32)}`;
  const signedAt = Date.now();
  await insertRow(pool, 'batch_transactions', { ...batch, transaction_id: first, created_at: new Date(signedAt) });
  await insertRow(pool, 'batch_transactions', {
    ...batch,
    transaction_id: TRANSACTION,
    created_at: new Date(signedAt + 5),
  });
  const sent = await timelineOf(intentId);
  expect(sent).toMatchObject({ why: 'awaits_block' });
  expect(ofKind(sent, 'transaction_sent')).toMatchObject([
    { transactionId: first, attempt: 1, outcome: 'awaits_block', why: null },
    { transactionId: TRANSACTION, attempt: 2, outcome: 'awaits_block', why: null },
  ]);

  await pool.query("update svc.batches set status = 'mined', block_number = 77 where id = $1", [rows[0]?.batch_id]);
  await pool.query("update svc.settlements set status = 'completed' where intent_id = $1", [intentId]);
  await pool.query(
    `with ended as (
       update svc.payments set status = 'completed', paid_amount = amount, completed_at = now() where intent_id = $1
     ) update svc.intents set status = 'completed' where id = $1`,
    [intentId],
  );
  const mined = await timelineOf(intentId);
  expect(mined).toMatchObject({ why: 'paid', atRest: false });
  expect(ofKind(mined, 'transaction_sent')).toMatchObject([
    { transactionId: first, outcome: 'superseded', why: 'superseded', blockNumber: null },
    { transactionId: TRANSACTION, outcome: 'mined', why: null, blockNumber: '77' },
  ]);
  expect(ofKind(mined, 'authorization_received')).toMatchObject([{ charged: '1500000', released: '0' }]);
  expect(ofKind(mined, 'block_final')).toEqual([]);

  await pool.query("update svc.batches set status = 'finalized', updated_at = now() where id = $1", [
    rows[0]?.batch_id,
  ]);
  const final = await timelineOf(intentId);
  expect(final).toMatchObject({ why: 'paid_and_final' });
  expect(ofKind(final, 'block_final')).toMatchObject([{ transactionId: TRANSACTION, blockNumber: '77' }]);
  const times = final.entries.map(({ at }) => Date.parse(at));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
});

test('a failed payment says why, and charged nothing', async () => {
  const { intentId } = await claimed();
  await pool.query("update svc.settlements set status = 'failed' where intent_id = $1", [intentId]);
  await playFailure(pool, intentId, 'insufficient_funds');
  const timeline = await timelineOf(intentId);
  expect(ofKind(timeline, 'payment_started')).toMatchObject([{ status: 'failed', why: 'insufficient_funds' }]);
  expect(ofKind(timeline, 'authorization_received')).toMatchObject([{ charged: '0', released: '1500000' }]);
});

test('a held payment says what the chain refused, or that only the merchant knows', async () => {
  const { intentId } = await claimed();
  await pool.query("update svc.settlements set status = 'held', refusal = 'insufficient_funds' where intent_id = $1", [
    intentId,
  ]);
  expect(await timelineOf(intentId)).toMatchObject({ why: 'insufficient_funds' });
  await pool.query('update svc.settlements set held_for_merchant = true where intent_id = $1', [intentId]);
  expect(await timelineOf(intentId)).toMatchObject({ why: 'awaits_merchant' });
});

test('a batch that reverted as a whole stays in the timeline of a payment that is queued again', async () => {
  const { intentId } = await claimed();
  await playBroadcast(pool, intentId);
  await pool.query(
    `with reverted as (
       update svc.batches b set status = 'finalized' from svc.settlements s where s.intent_id = $1 and s.batch_id = b.id
     ), noted as (
       insert into svc.reverted_batches (account_id, mode, payment_id, batch_id, created_at)
       select account_id, mode, payment_id, batch_id, now() from svc.settlements where intent_id = $1
     )
     update svc.settlements set status = 'queued', batch_id = null, relayer = null, retry_at = now() + interval '1 hour'
     where intent_id = $1`,
    [intentId],
  );
  const timeline = await timelineOf(intentId);
  expect(timeline).toMatchObject({ why: 'awaits_next_try' });
  expect(ofKind(timeline, 'batch_joined')).toMatchObject([{ why: 'batch_reverted', itemCount: 1, refundId: null }]);
});

test('the books of a payment are shown to the unit, and what a reorg took back', async () => {
  const { id, intentId } = await payFinally(api);
  const book = (entries: readonly object[], at: Date) =>
    insertRows(
      pool,
      'ledger_entries',
      entries.map((entry) => ({ ...tenant, payment_id: id, created_at: at, ...entry })),
    );
  const now = Date.now();
  const [paid, got] = [newId('ledgerEntry', now), newId('ledgerEntry', now + 1)];
  const legs = [
    { id: paid, account_name: 'payer', party: 'p', amount: '-1500000' },
    { id: got, account_name: 'merchant', party: 'm', amount: '1500000' },
  ];
  await book(legs, new Date(now));
  const back = [
    { id: newId('ledgerEntry', now + 2), account_name: 'payer', party: 'p', amount: '1500000', reverses: paid },
    { id: newId('ledgerEntry', now + 3), account_name: 'merchant', party: 'm', amount: '-1500000', reverses: got },
  ];
  await book(back, new Date(now + 10));
  const booked = ofKind(await timelineOf(intentId), 'booked');
  expect(booked).toMatchObject([
    { paymentId: id, why: null, entries: [{ amount: '-1500000' }, { account: 'merchant', amount: '1500000' }] },
    { why: 'block_removed', entries: [{ reverses: paid }, { reverses: got }] },
  ]);
  for (const { entries } of booked) expect(entries.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(0n);
});

test('each delivery attempt of an event is an entry, with the time of the next', async () => {
  const { intentId } = await payFinally(api);
  const { rows } = await pool.query<{ id: string }>(
    'select id from svc.events where intent_id = $1 order by sequence',
    [intentId],
  );
  const eventId = rows[0]?.id ?? '';
  const endpoint = newId('endpoint', Date.now());
  const delivery = { ...tenant, event_id: eventId, endpoint_id: endpoint };
  const [firstAt, nextAt] = [new Date(Date.now() + 1_000), new Date(Date.now() + 61_000)];
  await insertRow(pool, 'deliveries', { ...delivery, status: 'pending', attempt_count: 1, next_at: nextAt });
  await insertRow(pool, 'delivery_attempts', {
    ...delivery,
    attempt: 1,
    outcome: 'refused',
    response_status: 503,
    total_ms: 74,
    started_at: firstAt,
    next_at: nextAt,
  });
  const timeline = await timelineOf(intentId);
  expect(timeline.atRest).toBe(false);
  expect(ofKind(timeline, 'delivery_tried')).toEqual([
    {
      kind: 'delivery_tried',
      at: firstAt.toISOString(),
      why: 'refused',
      eventId,
      eventType: 'payment_intent.created',
      endpointId: endpoint,
      attempt: 1,
      outcome: 'refused',
      responseStatus: 503,
      totalMs: 74,
      nextAt: nextAt.toISOString(),
    },
  ]);
  expect(ofKind(timeline, 'event_written')[0]?.deliveries).toEqual([
    { endpointId: endpoint, status: 'pending', attemptCount: 1, nextAt: nextAt.toISOString(), reason: null },
  ]);
});

describe('parts', () => {
  test('of another amount wait for the rest', async () => {
    const { id } = await api.newIntent();
    await playPart(api.database, id, 500_000n);
    await pool.query('update svc.payments set requested_amount = 1500000, paid_total = 500000 where intent_id = $1', [
      id,
    ]);
    const timeline = await timelineOf(id);
    expect(timeline).toMatchObject({ why: 'awaits_rest' });
    expect(ofKind(timeline, 'payment_started')).toMatchObject([{ why: 'underpaid', paidAmount: '500000' }]);
  });

  test('beyond the limit are cut, and the payment that the intent names is among those that are left', async () => {
    const { id } = await api.newIntent();
    const named = await playPart(api.database, id, 500_000n);
    for (let part = 0; part < 55; part += 1) await playPart(api.database, id, 500_000n);
    await pool.query('update svc.intents set payment_id = $2 where id = $1', [id, named]);
    const timeline = await timelineOf(id);
    expect(timeline.truncated).toBe(true);
    const shown = ofKind(timeline, 'payment_started').map(({ paymentId }) => paymentId);
    expect(shown).toHaveLength(51);
    expect(shown).toContain(named);
  });
});

test('a refund is shown from its beginning to its end, with why it failed', async () => {
  const { id, intentId } = await payFinally(api);
  const refundId = newId('refund', Date.now());
  await pool.query(
    `insert into svc.refunds (account_id, mode, id, payment_id, intent_id, intent_code, kind, status, network, asset,
       token_shortcode, reserved, wallet, recipient, reported_transaction_id, submitted_at, created_at, updated_at)
     select account_id, mode, $2, id, intent_id, 7, 'reported', 'queued', network, asset, token_shortcode, 1, '', '', $3, now(),
       now(), now()
     from svc.payments where id = $1`,
    [id, refundId, TRANSACTION],
  );
  expect(ofKind(await timelineOf(intentId), 'refund_started')).toMatchObject([{ refund: { id: refundId }, why: null }]);
  await pool.query(
    "update svc.refunds set status = 'failed', failure_code = 'insufficient_funds', reserved = 0 where id = $1",
    [refundId],
  );
  expect(ofKind(await timelineOf(intentId), 'refund_ended')).toMatchObject([
    { why: 'insufficient_funds', refund: { id: refundId, status: 'failed' } },
  ]);
});

test('nobody else sees a timeline: another account, the other mode, a publishable key, a key without the scope', async () => {
  const { id } = await api.newIntent();
  const other = await seedAccount(pool);
  for (const stranger of [other.keys.test.secret, keys.live.secret]) {
    expect((await call(api, 'GET', pathOf(id), { key: stranger })).json()).toMatchObject({ error: 'not_found' });
  }
  expect((await call(api, 'GET', pathOf(id), { key: keys.test.publishable })).statusCode).toBe(403);
  expect((await call(api, 'GET', pathOf(newId('paymentIntent', Date.now())), { key })).statusCode).toBe(404);
  expect((await call(api, 'GET', pathOf('pi_nonsense'), { key })).statusCode).toBe(404);
});

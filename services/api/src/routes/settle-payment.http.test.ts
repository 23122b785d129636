// Settles signed headers: each is claimed once, waited for, and afterwards answered from the stored rows.
import { readAbuse } from '@svc-pay/postgres/operator';
import { notifyResponse, settleResponse } from '@svc-pay/protocol';
import { describe, expect, test, vi } from 'vitest';
import { CREATE, call, intentPath, NOTIFY, SETTLE } from '../testing/call.ts';
import { USDC } from '../testing/payment-chain.ts';
import { playBroadcast, playCompletion, playFailure, TRANSACTION } from '../testing/play-settlement.ts';
import { addKey } from '../testing/seed-account.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { type PayableIntent, startPayableApi } from '../testing/start-payable-api.ts';

const WAIT_MS = 2_500;
const api = await startPayableApi({ SVC_SETTLE_WAIT_MS: String(WAIT_MS) });
const { pool } = api.database;
const key = api.account.keys.test.publishable;
const payer = newPayer();
await api.chain.mint(USDC, payer.address, 10n ** 12n);

type Body = { paymentIntentId: string; paymentHeader: string };
const headerFor = async ({ id, acceptance }: PayableIntent): Promise<Body> => ({
  paymentIntentId: id,
  paymentHeader: await signHeader(payer, acceptance),
});
const settle = (body: object, headers: Record<string, string> = {}) =>
  call(api, 'POST', SETTLE, { key, body, headers });
const rows = async (table: string, intentId: string) =>
  (await pool.query(`select * from svc.${table} where intent_id = $1`, [intentId])).rows;
const isClaimed = (id: string) =>
  vi.waitFor(async () => expect(await rows('payments', id)).toHaveLength(1), { timeout: 5_000, interval: 20 });

/** Creates an intent with a claimed, pending header. The settle request keeps waiting. */
async function openPayment() {
  const intent = await api.newIntent();
  const body = await headerFor(intent);
  const answer = settle(body);
  await isClaimed(intent.id);
  return { intent, body, answer };
}

describe('the answer waits for the end', () => {
  test('completed while it waits: succeeded, within moments, with everything that is known', async () => {
    const { intent, answer } = await openPayment();
    const startMs = performance.now();
    await playCompletion(pool, intent.id);
    const response = await answer;
    // A payment that completes before its request listens is found by the next poll, a second later.
    expect(performance.now() - startMs).toBeLessThan(2_000);
    expect(response.statusCode).toBe(200);
    const body = response.json();
    expect(settleResponse.safeParse(body).success).toBe(true);
    const [payment] = await rows('payments', intent.id);
    expect(body).toMatchObject({
      status: 'succeeded',
      transactionId: TRANSACTION,
      canisterTxId: Number(payment.settlement_number),
      externalCostAmount: '1234',
      paymentIntent: { id: intent.id, status: 'completed' },
      payment: { id: payment.id, status: 'completed', paidAmount: '1500000', transactionId: TRANSACTION },
    });
    expect(body).not.toHaveProperty('error');
    const read = (await call(api, 'GET', intentPath(intent.id), { key })).json();
    expect(read).toEqual({ paymentIntentId: intent.id, paymentIntent: body.paymentIntent, payment: body.payment });
  });

  test('failed while it waits: failed with the payment’s own code, and the intent may be paid by another header', async () => {
    const { intent, body, answer } = await openPayment();
    await playFailure(pool, intent.id, 'token_refused');
    expect((await answer).json()).toMatchObject({
      status: 'failed',
      error: 'token_refused',
      paymentIntent: { status: 'requires_payment' },
      payment: { status: 'failed' },
    });
    const second = settle(await headerFor(intent));
    await vi.waitFor(async () => expect(await rows('payments', intent.id)).toHaveLength(2));
    await playCompletion(pool, intent.id);
    expect((await second).json()).toMatchObject({ status: 'succeeded' });
    // A client that repeats the first header must see that the intent is paid.
    expect((await settle(body)).json()).toMatchObject({ status: 'completed', payment: { status: 'completed' } });
  });

  test('the time is up: processing, with the transaction once it was sent, and never failed', async () => {
    const { intent, body, answer } = await openPayment();
    expect((await rows('payments', intent.id))[0].transaction_id).toBeNull();
    await playBroadcast(pool, intent.id);
    expect((await answer).json()).toMatchObject({
      status: 'processing',
      transactionId: TRANSACTION,
      payment: { status: 'pending', transactionId: TRANSACTION },
    });
    await playCompletion(pool, intent.id);
    expect((await settle(body)).json()).toMatchObject({ status: 'succeeded' });
  });

  test('when the notification is lost it looks by itself', async () => {
    const { intent, answer } = await openPayment();
    await pool.query('alter table svc.intents disable trigger intents_notify');
    await playCompletion(pool, intent.id);
    await pool.query('alter table svc.intents enable trigger intents_notify');
    expect((await answer).json()).toMatchObject({ status: 'succeeded' });
  });
});

describe('the same header again', () => {
  test('64 at once: one claim, and 64 equal answers when the payment ends', async () => {
    const intent = await api.newIntent();
    const body = await headerFor(intent);
    const answers = Promise.all(Array.from({ length: 64 }, () => settle(body)));
    await isClaimed(intent.id);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await playCompletion(pool, intent.id);
    const texts = (await answers).map((response) => response.body);
    expect(new Set(texts).size).toBe(1);
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ status: 'succeeded' });
    for (const table of ['claims', 'payments', 'settlements', 'authorizations']) {
      expect(await rows(table, intent.id)).toHaveLength(1);
    }
    expect(await rows('attempts', intent.id)).toEqual([]);
  });

  test('is answered from rows on every replay, without asking the chain: it may be gone, the money may be spent', async () => {
    const { intent, body, answer } = await openPayment();
    await playCompletion(pool, intent.id);
    const first = (await answer).body;
    await api.chain.client.setCode({ address: USDC, bytecode: '0x00' });
    const again = await settle(body);
    const edited = await settle({ ...body, paymentRequirements: { ...intent.acceptance, maxAmountRequired: '7' } });
    await api.chain.restoreTokens();
    expect([again.body, edited.body]).toEqual([first, first]);
  });

  test('in another spelling is the same authorization', async () => {
    const { intent, body, answer } = await openPayment();
    await playCompletion(pool, intent.id);
    const header = JSON.parse(Buffer.from(body.paymentHeader, 'base64').toString());
    header.network = '31337';
    header.payload.authorization.from = payer.address.toLowerCase();
    header.x402Version = 2;
    const paymentHeader = Buffer.from(JSON.stringify(header)).toString('base64url');
    expect((await settle({ ...body, paymentHeader })).body).toBe((await answer).body);
  });
});

describe('another valid header', () => {
  test('while a payment is open: the intent’s true status, at once, and no claim', async () => {
    const { intent, answer } = await openPayment();
    const startMs = performance.now();
    const response = await settle(await headerFor(intent));
    expect(performance.now() - startMs).toBeLessThan(WAIT_MS / 2);
    expect(response.json()).toMatchObject({ status: 'processing', paymentIntent: { status: 'processing' } });
    expect(await rows('claims', intent.id)).toHaveLength(1);
    await playCompletion(pool, intent.id);
    await answer;
    const late = (await settle(await headerFor(intent))).json();
    expect(late).toMatchObject({ status: 'completed', transactionId: TRANSACTION, payment: { status: 'completed' } });
    expect(late).not.toHaveProperty('error');
    expect(await rows('claims', intent.id)).toHaveLength(1);
  });

  test('many different ones at once: one is taken, nobody hears of a failure', async () => {
    const intent = await api.newIntent();
    const bodies = await Promise.all(Array.from({ length: 8 }, () => headerFor(intent)));
    const answers = Promise.all(bodies.map((body) => settle(body)));
    await isClaimed(intent.id);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await playCompletion(pool, intent.id);
    const statuses = (await answers).map((response): string => response.json().status).sort();
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(1);
    // A header that is read after the payment completed hears that the intent is.
    expect(statuses.filter((status) => status === 'processing' || status === 'completed')).toHaveLength(7);
    expect(await rows('claims', intent.id)).toHaveLength(1);
  });

  test('on a mismatched intent pays it until it expires; then: mismatched', async () => {
    const { intent, body, answer } = await openPayment();
    await pool.query(
      `with ended as (update svc.payments set status = 'mismatched' where intent_id = $1)
       update svc.intents set status = 'mismatched' where id = $1`,
      [intent.id],
    );
    expect((await answer).json()).toMatchObject({ status: 'mismatched' });
    expect((await settle(body)).json()).toMatchObject({ status: 'mismatched' });
    await pool.query('update svc.intents set expires_at = created_at where id = $1', [intent.id]);
    expect((await settle(await headerFor(intent))).json()).toMatchObject({ status: 'mismatched' });
    await pool.query("update svc.intents set expires_at = now() + interval '1 hour' where id = $1", [intent.id]);
    expect((await settle(await headerFor(intent))).json()).toMatchObject({ status: 'processing' });
  });
});

test('one authorization on two intents: the first has it, the second is refused and stays payable', async () => {
  const { intent: first, body, answer } = await openPayment();
  const second = await api.newIntent();
  // Same header: both intents ask for the same amount, token and recipient.
  const refused = await settle({ ...body, paymentIntentId: second.id });
  expect(refused.json()).toMatchObject({
    status: 'failed',
    error: 'authorization_bound_elsewhere',
    paymentIntent: { status: 'requires_payment' },
    payment: null,
  });
  await playCompletion(pool, first.id);
  await answer;
  // The error stays the same after the token has seen the authorization used.
  await api.chain.useAuthorization(body.paymentHeader);
  expect((await settle({ ...body, paymentIntentId: second.id })).json().error).toBe('authorization_bound_elsewhere');
  const paying = settle(await headerFor(second));
  await isClaimed(second.id);
  await playCompletion(pool, second.id);
  expect((await paying).json()).toMatchObject({ status: 'succeeded' });
});

describe('an idempotency key', () => {
  test('stands for its request, and a retry resumes instead of repeating a stale answer', async () => {
    const intent = await api.newIntent();
    const body = await headerFor(intent);
    const headers = { 'idempotency-key': `settle-${intent.id}` };
    const first = settle(body, headers);
    await isClaimed(intent.id);
    const processing = await first;
    expect(processing.json()).toMatchObject({ status: 'processing' });
    expect(processing.headers['idempotent-replayed']).toBeUndefined();
    await playCompletion(pool, intent.id);
    const again = await settle(body, headers);
    expect(again.json()).toMatchObject({ status: 'succeeded' });
    expect(again.headers['idempotent-replayed']).toBe('true');
    const other = await settle(await headerFor(intent), headers);
    expect({ status: other.statusCode, ...other.json() }).toMatchObject({
      status: 422,
      error: 'idempotency_key_reused',
      param: 'Idempotency-Key',
    });
    const elsewhere = await call(api, 'POST', CREATE, { key, body: { usdAmount: 1 }, headers });
    expect({ status: elsewhere.statusCode, ...elsewhere.json() }).toMatchObject({
      status: 422,
      error: 'idempotency_key_reused',
    });
  });

  test('is free again after a refusal', async () => {
    const intent = await api.newIntent();
    const headers = { 'idempotency-key': `refused-${intent.id}` };
    const bad = await settle({ paymentIntentId: intent.id, paymentHeader: 'x' }, headers);
    expect(bad.json()).toMatchObject({ status: 'failed', error: 'invalid_payment_header' });
    const good = settle(await headerFor(intent), headers);
    await isClaimed(intent.id);
    await playCompletion(pool, intent.id);
    expect((await good).json()).toMatchObject({ status: 'succeeded' });
  });
});

describe('notify', () => {
  const notify = (body: object) => call(api, 'POST', NOTIFY, { key, body });

  test('says what GET says, whatever the hints', async () => {
    const { intent, answer } = await openPayment();
    const hints = { transactionId: `0x${'99'.repeat(32)}`, canisterTxId: 7, ledgerBlockIndex: {}, ledgerCanisterId: 1 };
    const response = await notify({ paymentIntentId: intent.id, ...hints });
    expect(response.statusCode).toBe(200);
    const body = response.json();
    expect(notifyResponse.safeParse(body).success).toBe(true);
    const [payment] = await rows('payments', intent.id);
    expect(body).toMatchObject({ paymentIntentId: intent.id, paymentId: payment.id, status: 'processing' });
    const read = (await call(api, 'GET', intentPath(intent.id), { key })).json();
    expect({ paymentIntent: body.paymentIntent, payment: body.payment }).toEqual({
      paymentIntent: read.paymentIntent,
      payment: read.payment,
    });
    expect(payment).toMatchObject({ status: 'pending', transaction_id: null });
    await playCompletion(pool, intent.id);
    await answer;
    expect((await notify({ paymentIntentId: intent.id })).json().status).toBe('completed');
  });

  test('of an intent that nobody pays: no payment', async () => {
    const { id } = await api.newIntent();
    expect((await notify({ paymentIntentId: id })).json()).toMatchObject({
      paymentId: null,
      payment: null,
      status: 'requires_payment',
    });
  });

  test('of another’s or of nothing: 404; without a name: 400', async () => {
    expect((await notify({ paymentIntentId: 'pi_00000000000000000000000000' })).statusCode).toBe(404);
    expect((await notify({ paymentIntentId: 'x' })).statusCode).toBe(404);
    expect((await notify({})).statusCode).toBe(400);
  });
});

test('`svc abuse top` counts a payment once, whatever else is sent to its intent', async () => {
  const own = await addKey(pool, api.account.accountId, 'publishable', 'test');
  const create = async (): Promise<PayableIntent> => {
    const asked = { key: own, body: { usdAmount: '1.5', tokenShortcode: 'anvil_usdc' } };
    const { paymentIntentId: id, accepts } = (await call(api, 'POST', CREATE, asked)).json();
    return { id, acceptance: accepts[0] };
  };
  const intent = await create();
  await create();
  await create();
  const pay = (body: object) => call(api, 'POST', SETTLE, { key: own, body });
  const body = await headerFor(intent);
  const answer = pay(body);
  await isClaimed(intent.id);
  const meanwhile = (await pay(await headerFor(intent))).json();
  await playCompletion(pool, intent.id);
  await answer;
  const [again, late] = [(await pay(body)).json(), (await pay(await headerFor(intent))).json()];
  expect([meanwhile, again, late].map(({ status }) => status)).toEqual(['processing', 'succeeded', 'completed']);
  // Writes the counts.
  await api.stop();
  const { rows: keys } = await pool.query('select id from svc.api_keys where publishable_text = $1', [own]);
  const counts = await readAbuse(pool, Date.now() - 60_000, 100);
  expect(counts.filter(({ subject }) => subject === keys[0].id)).toMatchObject([
    { cause: 'created', kind: 'key', count: 3, paid: 1 },
  ]);
});

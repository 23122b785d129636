// Published x402 clients of version 2: the create request again, with the payment of the intent it was answered with.
import { type X402Challenge, x402Challenge, x402SettleAnswer } from '@svc-pay/protocol/x402';
import { describe, expect, test, vi } from 'vitest';
import { CREATE, call, intentPath, SETTLE } from '../testing/call.ts';
import { USDC } from '../testing/payment-chain.ts';
import { playBroadcast, playCompletion, playFailure, TRANSACTION } from '../testing/play-settlement.ts';
import { addKey } from '../testing/seed-account.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startPayableApi } from '../testing/start-payable-api.ts';

const api = await startPayableApi({ SVC_SETTLE_WAIT_MS: '2500' });
const { pool } = api.database;
const key = api.account.keys.test.publishable;
const payer = newPayer();
await api.chain.mint(USDC, payer.address, 10n ** 12n);

const BODY = { usdAmount: '1.5', tokenShortcode: 'anvil_usdc', resource: 'https://shop.example/page' };
const create = (headers: Record<string, string> = {}, body: object = BODY, as = key) =>
  call(api, 'POST', CREATE, { key: as, body, headers });
const decode = (header: unknown) => JSON.parse(Buffer.from(String(header), 'base64').toString());
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const intents = async () => (await pool.query('select count(*)::integer as count from svc.intents')).rows[0].count;
const payments = async (id: string) =>
  (await pool.query('select id from svc.payments where intent_id = $1', [id])).rows.length;

type Opened = { readonly id: string; readonly challenge: X402Challenge; readonly payload: object };

/** An intent, and a stock client's payment of it. */
async function open(headers: Record<string, string> = {}): Promise<Opened> {
  const response = await create(headers);
  const { paymentIntentId: id, accepts } = response.json();
  const challenge: X402Challenge = decode(response.headers['payment-required']);
  const { payload } = decode(await signHeader(payer, accepts[0]));
  return { id, challenge, payload };
}
const paymentOf = ({ challenge, payload }: Opened, change: object = {}) =>
  encode({ x402Version: 2, payload, accepted: { ...challenge.accepts[0], ...change }, resource: challenge.resource });
const pay = (opened: Opened, change?: object, headers: Record<string, string> = {}) =>
  create({ 'payment-signature': paymentOf(opened, change), ...headers });
const isClaimed = (id: string) =>
  vi.waitFor(async () => expect(await payments(id)).toBe(1), { timeout: 5_000, interval: 20 });

describe('the 402 of a new intent', () => {
  test('carries the same acceptance for stock clients, and an address that needs no key', async () => {
    const response = await create();
    const { paymentIntentId: id, accepts } = response.json();
    const challenge = decode(response.headers['payment-required']);
    expect(x402Challenge.safeParse(challenge).success).toBe(true);
    expect(challenge).toEqual({
      x402Version: 2,
      resource: { url: 'https://shop.example/page' },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:31337',
          amount: '1500000',
          asset: accepts[0].asset,
          payTo: accepts[0].payTo,
          maxTimeoutSeconds: accepts[0].maxTimeoutSeconds,
          extra: { name: 'USD Coin', version: '2', intentId: id },
        },
      ],
    });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(response.headers['x-svc-pay-url']).toMatch(
      new RegExp(`/pay/${id}\\?client_secret=test_acct_[0-9a-z]{26}_[\\w-]{22}$`),
    );
    expect(response.body).not.toContain('client_secret');
  });

  test('is the same for the same Idempotency-Key, and the secret is stored nowhere', async () => {
    const [first, second] = [await create({ 'idempotency-key': 'one' }), await create({ 'idempotency-key': 'one' })];
    expect(second.headers['idempotent-replayed']).toBe('true');
    for (const name of ['payment-required', 'x-svc-pay-url'])
      expect(second.headers[name]).toBe(first.headers[name] as string);
    const secret = String(first.headers['x-svc-pay-url']).slice(-22);
    const { rows } = await pool.query(
      `select count(*)::integer as count from svc.idempotency k where k::text like $1`,
      [`%${secret}%`],
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  test('is not repeated for an intent that is being paid: a client whose answer was lost signs nothing more', async () => {
    const opened = await open({ 'idempotency-key': 'paid-replayed' });
    const answer = pay(opened, {}, { 'idempotency-key': 'paid-replayed' });
    await isClaimed(opened.id);
    const again = await create({ 'idempotency-key': 'paid-replayed' });
    expect(again.json()).toMatchObject({ paymentIntentId: opened.id });
    for (const name of ['payment-required', 'x-svc-pay-url']) expect(again.headers[name]).toBeUndefined();
    await playCompletion(pool, opened.id);
    await answer;
    expect((await create({ 'idempotency-key': 'paid-replayed' })).headers['payment-required']).toBeUndefined();
  });

  test('never offers an up-to acceptance or a Permit token, which stock clients can’t sign', async () => {
    for (const body of [
      { ...BODY, x402Upto: true },
      { usdAmount: '1', tokenShortcode: 'anvil_vol' },
    ]) {
      const response = await create({}, body, api.account.keys.test.secret);
      expect(response.headers['payment-required']).toBeUndefined();
      expect(response.headers['x-svc-pay-url']).toBeUndefined();
    }
  });

  test('names our own address where the merchant’s resource is no URL, and drops a long description', async () => {
    const response = await create({}, { ...BODY, resource: 'an article', description: 'x'.repeat(300) });
    const { resource } = decode(response.headers['payment-required']);
    expect(resource).toEqual({ url: expect.stringMatching(/^https?:\/\/.*\/intents\/pi_\w+$/) });
  });
});

describe('the same request with a payment', () => {
  test('settles the intent that the payment names, creates nothing, and answers PAYMENT-RESPONSE', async () => {
    const opened = await open();
    const before = await intents();
    const answer = pay(opened);
    await isClaimed(opened.id);
    await playCompletion(pool, opened.id);
    const response = await answer;
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      paymentIntentId: opened.id,
      status: 'succeeded',
      transactionId: TRANSACTION,
      paymentIntent: { status: 'completed' },
    });
    const told = decode(response.headers['payment-response']);
    expect(x402SettleAnswer.safeParse(told).success).toBe(true);
    expect(told).toEqual({
      success: true,
      transaction: TRANSACTION,
      network: 'eip155:31337',
      payer: payer.address.toLowerCase(),
      amount: '1500000',
    });
    expect(response.headers['cache-control']).toBe('no-store');
    expect(await intents()).toBe(before);
    expect((await pay(opened)).json()).toMatchObject({ status: 'succeeded', transactionId: TRANSACTION });
    expect(await payments(opened.id)).toBe(1);
  });

  test('under way is 202 with the transaction and the status address, not a new 402', async () => {
    const opened = await open();
    const answer = pay(opened);
    await isClaimed(opened.id);
    await playBroadcast(pool, opened.id);
    const response = await answer;
    expect(response.statusCode).toBe(202);
    expect(response.headers['payment-required']).toBeUndefined();
    expect(response.json()).toMatchObject({
      status: 'processing',
      transactionId: TRANSACTION,
      statusUrl: expect.stringMatching(new RegExp(`^http.*${intentPath(opened.id)}$`)),
    });
    expect(response.headers['location']).toBe(response.json().statusUrl);
    expect(decode(response.headers['payment-response'])).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction: TRANSACTION,
    });
    await playCompletion(pool, opened.id);
  });

  test('is never answered from the 402 that its Idempotency-Key stored', async () => {
    const headers = { 'idempotency-key': 'paid' };
    const opened = await open(headers);
    const answer = pay(opened, {}, headers);
    await isClaimed(opened.id);
    await playCompletion(pool, opened.id);
    expect((await answer).statusCode).toBe(200);
    const again = await create(headers);
    expect(again.statusCode).toBe(402);
    expect(again.json().paymentIntentId).toBe(opened.id);
  });

  test('refused: 402 with the reason and the same intent’s challenge, and nothing is created', async () => {
    const opened = await open();
    const before = await intents();
    const poor = newPayer();
    const { payload } = decode(await signHeader(poor, { ...(await create()).json().accepts[0] }));
    const response = await pay({ ...opened, payload });
    expect(response.statusCode).toBe(402);
    expect(decode(response.headers['payment-response'])).toMatchObject({
      success: false,
      transaction: '',
      errorReason: 'invalid_exact_evm_insufficient_balance',
    });
    const again = decode(response.headers['payment-required']);
    expect(again).toEqual({ ...opened.challenge, error: expect.stringContaining('insufficient_funds') });
    expect(response.json()).toMatchObject({
      paymentIntentId: opened.id,
      status: 'failed',
      error: 'insufficient_funds',
    });
    expect(await intents()).toBe(before + 1);
  });

  test('failed on the chain: 402 again, for the same intent', async () => {
    const opened = await open();
    const answer = pay(opened);
    await isClaimed(opened.id);
    await playFailure(pool, opened.id, 'token_refused');
    const response = await answer;
    expect(response.statusCode).toBe(402);
    expect(decode(response.headers['payment-required']).accepts).toEqual(opened.challenge.accepts);
  });

  test('for an intent that is paid or canceled: 409 without a challenge, so that nobody signs again', async () => {
    const opened = await open();
    const answer = pay(opened);
    await isClaimed(opened.id);
    await playCompletion(pool, opened.id);
    await answer;
    const [acceptance] = (await create()).json().accepts;
    const { payload } = decode(await signHeader(payer, acceptance));
    const second = await pay({ ...opened, payload });
    expect(second.statusCode).toBe(409);
    expect(second.headers['payment-required']).toBeUndefined();
    expect(decode(second.headers['payment-response'])).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
      transaction: TRANSACTION,
    });
    const canceled = await open();
    await pool.query(`update svc.intents set status = 'canceled' where id = $1`, [canceled.id]);
    const third = await pay(canceled);
    expect(third.statusCode).toBe(409);
    expect(third.headers['payment-required']).toBeUndefined();
    expect(await payments(canceled.id)).toBe(0);
  });
});

describe('every field is as it was issued', () => {
  test.each([
    ['amount', { amount: '1499999' }],
    ['payTo', { payTo: `0x${'11'.repeat(20)}` }],
    ['asset', { asset: `0x${'11'.repeat(20)}` }],
    ['network', { network: 'eip155:84532' }],
    ['maxTimeoutSeconds', { maxTimeoutSeconds: 86_400 }],
  ])('another %s is refused by its name', async (field, change) => {
    const opened = await open();
    const response = await pay(opened, change);
    expect(response.statusCode).toBe(402);
    expect(decode(response.headers['payment-response']).errorMessage).toContain(`accepted.${field}`);
    expect(await payments(opened.id)).toBe(0);
  });

  test('another scheme is refused', async () => {
    const response = await pay(await open(), { scheme: 'upto' });
    expect(decode(response.headers['payment-response'])).toMatchObject({ errorReason: 'invalid_exact_evm_scheme' });
  });

  test.each([
    ['a name', { name: 'Other', version: '2' }],
    ['a version', { name: 'USD Coin', version: '1' }],
    ['a field more', { name: 'USD Coin', version: '2', more: 1 }],
    ['a field less', { name: 'USD Coin' }],
  ])('another extra is refused: %s', async (_, extra) => {
    const opened = await open();
    const response = await pay(opened, { extra: { ...extra, intentId: opened.id } });
    expect(response.statusCode).toBe(402);
    expect(decode(response.headers['payment-response']).errorMessage).toContain('accepted.extra');
  });

  test('a payment for one intent pays no other of the same price', async () => {
    const [first, second] = [await open(), await open()];
    const extra = { ...first.challenge.accepts[0]?.extra, intentId: second.id };
    const answer = pay(first, { extra });
    await isClaimed(second.id);
    await playCompletion(pool, second.id);
    expect((await answer).json()).toMatchObject({ paymentIntentId: second.id, status: 'succeeded' });
    const swapped = await pay(first);
    expect(swapped.statusCode).toBe(409);
    expect(swapped.headers).not.toHaveProperty('payment-required');
    expect(decode(swapped.headers['payment-response'])).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
    });
    expect(await payments(first.id)).toBe(0);
  });

  test('the interface’s settle reads stock payments too, and compares them as strictly', async () => {
    const opened = await open();
    const body = (change?: object) => ({ paymentIntentId: opened.id, paymentHeader: paymentOf(opened, change) });
    const wrong = await call(api, 'POST', SETTLE, { key, body: body({ amount: '1' }) });
    expect(wrong.json()).toMatchObject({ status: 'failed', error: 'acceptance_mismatch' });
    const answer = call(api, 'POST', SETTLE, { key, body: body() });
    await isClaimed(opened.id);
    await playCompletion(pool, opened.id);
    expect((await answer).json()).toMatchObject({ status: 'succeeded' });
  });
});

describe('what can’t be a payment', () => {
  const unreadable = async (headers: Record<string, string>) => {
    const before = await intents();
    const response = await create(headers);
    expect(response.statusCode).toBe(400);
    expect(await intents()).toBe(before);
    return {
      ...response.json(),
      ...decode(response.headers['payment-response'] ?? response.headers['x-payment-response']),
    };
  };
  test('is refused with the field and why, and creates nothing', async () => {
    expect(await unreadable({ 'payment-signature': 'hello' })).toMatchObject({
      error: 'malformed_request',
      param: 'PAYMENT-SIGNATURE',
      errorReason: 'invalid_payload',
    });
    const noIntent = encode({ ...decode(paymentOf(await open())), accepted: undefined });
    expect(await unreadable({ 'payment-signature': noIntent })).toMatchObject({ param: 'scheme' });
    const opened = await open();
    const foreign = paymentOf(opened, { extra: { name: 'USD Coin', version: '2' } });
    expect(await unreadable({ 'payment-signature': foreign })).toMatchObject({ param: 'accepted.extra.intentId' });
  });
  test('repeated and doubled headers are refused: nobody could say which payment was meant', async () => {
    const payment = paymentOf(await open());
    expect(await unreadable({ 'payment-signature': `${payment}, ${payment}` })).toMatchObject({
      errorMessage: expect.stringContaining('more than one header'),
    });
    expect(await unreadable({ 'payment-signature': payment, 'x-payment': payment })).toMatchObject({
      errorMessage: expect.stringContaining('X-PAYMENT'),
    });
  });
  test('version 1 is told where it can pay', async () => {
    const { payload } = await open();
    const v1 = encode({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload });
    expect(await unreadable({ 'x-payment': v1 })).toMatchObject({
      errorMessage: expect.stringContaining('X-SVC-Pay-Url'),
    });
  });
  test('an intent of nobody is not found', async () => {
    const opened = await open();
    const response = await pay(opened, { extra: { intentId: 'pi_01m7jx2yrhgx9nsc5e9zb8p2tx' } });
    expect(response.statusCode).toBe(404);
  });
});

test('paying needs the right to charge, not the right to create', async () => {
  const opened = await open();
  const scoped = (scopes: string[]) => addKey(pool, api.account.accountId, 'secret', 'test', undefined, { scopes });
  const creates = await scoped(['create']);
  const refused = await create({ 'payment-signature': paymentOf(opened) }, BODY, creates);
  expect(refused.json()).toMatchObject({ error: 'key_scope_missing', moneyMoved: 'unknown' });
  const charges = await scoped(['charge']);
  const answer = create({ 'payment-signature': paymentOf(opened) }, BODY, charges);
  await isClaimed(opened.id);
  await playCompletion(pool, opened.id);
  expect((await answer).statusCode).toBe(200);
});

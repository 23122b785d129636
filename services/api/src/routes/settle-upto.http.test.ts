// The API's part of an up-to payment: its calls to settlement, and its answers while settlement is down. For the
// chain's part see tests/e2e.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TOKENS } from '@svc-pay/core';
import { insertRow } from '@svc-pay/postgres/testing';
import { uptoConfirmResponse, uptoSettleResponse } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type { Hex } from 'viem';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { CREATE, call, SETTLE, UPTO_CONFIRM, UPTO_SETTLE } from '../testing/call.ts';
import { startPaymentChain, USDC } from '../testing/payment-chain.ts';
import { playCompletion } from '../testing/play-settlement.ts';
import { NETWORKS, PROCESSOR } from '../testing/seed-account.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startFakeSettlement } from '../testing/start-fake-settlement.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const EURC = 'basesepolia_eurc';
const INTERNAL_KEY = 'the-internal-key-of-these-tests-0123456789';
const chain = await startPaymentChain();
const settlement = await startFakeSettlement();
let euro = '1.08';
const feed = createServer((_, response) => {
  response.end(JSON.stringify({ usd: euro, observedAt: new Date().toISOString() }));
});
await new Promise<void>((resolve) => void feed.listen(0, '127.0.0.1', resolve));
afterAll(() => void feed.close());

const operated = { processor: PROCESSOR, processorVersion: '1.3.0', ready: true, rpcUrls: [chain.rpcUrl] };
const environment = {
  SVC_NETWORKS: JSON.stringify({ ...NETWORKS, 'eip155:31337': operated, 'eip155:84532': operated }),
  SVC_PRICE_FEED_URL: `http://127.0.0.1:${(feed.address() as AddressInfo).port}`,
  SVC_PRICE_REFRESH_MS: '100',
  SVC_SETTLE_WAIT_MS: '0',
  SVC_SETTLEMENT_URL: settlement.url,
  SVC_INTERNAL_KEY: INTERNAL_KEY,
};
const api = await startTestApi(environment);
const { pool } = api.database;
const { accountId, keys } = api.account;
await insertRow(pool, 'account_tokens', { account_id: accountId, mode: 'test', shortcode: EURC });
const payer = newPayer();
await chain.mint(USDC, payer.address, 10n ** 15n);
// The euro token gets the same contract code, so that its signatures can be verified.
const euroAddress = TOKENS.find(({ shortcode }) => shortcode === EURC)?.address as Hex;
const code = await chain.client.getCode({ address: USDC });
await chain.client.setCode({ address: euroAddress, bytecode: code ?? '0x' });
await chain.mint(euroAddress, payer.address, 10n ** 15n);

async function newUpto(body: object = {}) {
  const asked = { usdAmount: '5', tokenShortcode: 'anvil_usdc', x402Upto: true, ...body };
  const { paymentIntentId, accepts } = (
    await call(api, 'POST', CREATE, { key: keys.test.publishable, body: asked })
  ).json();
  const paymentHeader = await signHeader(payer, accepts[0]);
  return { paymentIntentId, paymentHeader, paymentRequirements: accepts[0] };
}
const confirm = (body: object, headers: Record<string, string> = {}) =>
  call(api, 'POST', UPTO_CONFIRM, { key: keys.test.publishable, body, headers });
const settle = (body: object, headers: Record<string, string> = {}) =>
  call(api, 'POST', UPTO_SETTLE, { key: keys.test.secret, body, headers: { 'x-account-id': accountId, ...headers } });

const owner = { accountId, mode: 'test' };

/** Writes the rows that settlement writes when it begins an up-to settlement. */
async function playBegin({ paymentIntentId, settledAmount }: { paymentIntentId: string; settledAmount: string }) {
  const paymentId = newId('payment', Date.now());
  await pool.query(
    `with payment as (
       insert into svc.payments (
         account_id, mode, id, intent_id, status, network, token_shortcode, asset, amount, requested_amount, created_at,
         updated_at
       )
       select account_id, mode, $2, id, 'pending', network, token_shortcode, ledger_id, $3, amount, now(), now()
       from svc.intents where id = $1
     )
     update svc.intents set status = 'processing', payment_id = $2 where id = $1`,
    [paymentIntentId, paymentId, settledAmount],
  );
}

beforeEach(() => {
  settlement.heard.length = 0;
  settlement.answer = async (body) => {
    await playBegin(body);
    return { ok: true };
  };
});

test('settlement is asked with the internal key, for the key that asked, and the answer is made of rows', async () => {
  const upto = await newUpto();
  const confirmed = (await confirm(upto)).json();
  expect(uptoConfirmResponse.parse(confirmed)).toEqual(confirmed);
  const body = { paymentIntentId: upto.paymentIntentId, settledAmountUsd: 1.25 };
  const answer = (await settle(body)).json();
  expect(uptoSettleResponse.parse(answer)).toEqual(answer);
  expect(answer).toMatchObject({ ok: true, status: 'processing', settledAmount: '1250000', capAmount: '5000000' });
  expect(settlement.heard).toEqual([
    {
      authorization: `Bearer ${INTERNAL_KEY}`,
      actor: expect.stringMatching(/^key:key_/),
      body: { ...owner, paymentIntentId: upto.paymentIntentId, settledAmount: '1250000' },
    },
  ]);
  await playCompletion(pool, upto.paymentIntentId);
  expect((await settle(body)).json()).toMatchObject({ ok: true, status: 'succeeded', intentStatus: 'completed' });
  expect(settlement.heard).toHaveLength(1);
});

test('a payer who uses the merchant’s idempotency key with a publishable key can’t prevent the settlement', async () => {
  const upto = await newUpto();
  const key = { 'idempotency-key': `settle-${upto.paymentIntentId}` };
  expect((await confirm(upto, key)).json().ok).toBe(true);
  const body = { paymentIntentId: upto.paymentIntentId, settledAmountUsd: 1.25 };
  expect((await settle(body, key)).json()).toMatchObject({ ok: true, status: 'processing' });
  // The idempotency key is bound to the merchant's first request nevertheless.
  const other = await settle({ ...body, settledAmountUsd: 1 }, key);
  expect(other.json().error).toBe('idempotency_key_reused');
});

test('nothing is confirmed or settled through a payout that the registry contradicts, until they agree again', async () => {
  const [upto, other] = [await newUpto(), await newUpto()];
  expect((await confirm(upto)).json()).toMatchObject({ ok: true });
  const set = (status: string) =>
    pool.query("update svc.payouts set status = $1 where account_id = $2 and mode = 'test'", [status, accountId]);
  const body = { paymentIntentId: upto.paymentIntentId, settledAmountUsd: 1.25 };
  await set('pending');
  expect((await confirm(other)).json()).toMatchObject({ error: 'x402_temporarily_unavailable' });
  expect((await settle(body)).json()).toMatchObject({ error: 'x402_temporarily_unavailable' });
  expect(settlement.heard).toEqual([]);
  await set('active');
  expect((await settle(body)).json()).toMatchObject({ ok: true, status: 'processing' });
  expect((await confirm(other)).json()).toMatchObject({ ok: true });
});

test('a rate that doubled after creation changes nothing for a charge within the budget', async () => {
  euro = '1.08';
  const upto = await newUpto({ tokenShortcode: EURC, usdAmount: '10' });
  expect(upto.paymentRequirements.maxAmountRequired).toBe('9259260');
  expect((await confirm(upto)).json()).toMatchObject({ ok: true });
  for (const price of ['2.16', '0.54']) {
    euro = price;
    await new Promise((resolve) => setTimeout(resolve, 150));
    const fresh = await newUpto({ tokenShortcode: EURC, usdAmount: '10' });
    expect(fresh.paymentRequirements.maxAmountRequired).not.toBe('9259260');
  }
  const refused = await settle({ paymentIntentId: upto.paymentIntentId, settledAmountUsd: '10.000002' });
  expect(refused.json()).toMatchObject({ error: 'settled_amount_out_of_range' });
  const answer = await settle({ paymentIntentId: upto.paymentIntentId, settledAmountUsd: '10' });
  expect(answer.json()).toMatchObject({ ok: true, settledAmount: '9259259', capAmount: '9259260' });
});

test('what is settled may be less than the minimum, and no more than the hourly cap of the processor', async () => {
  const setLimits = (minimumMicros: number | null, cap: string | null) =>
    pool.query(
      `with account as (update svc.account_modes set minimum_usd_micros = $1)
       insert into svc.hourly_caps (network, asset, cap, changed_at) values ('eip155:31337', $2, $3, now())
       on conflict (network, asset) do update set cap = excluded.cap`,
      [minimumMicros, USDC, cap],
    );
  await setLimits(1_000_000, null);
  const [small, large] = [await newUpto(), await newUpto()];
  for (const upto of [small, large]) expect((await confirm(upto)).json()).toMatchObject({ ok: true });
  const settled = (await settle({ paymentIntentId: small.paymentIntentId, settledAmount: '1' })).json();
  expect(settled).toMatchObject({ ok: true, status: 'processing', settledAmount: '1' });
  settlement.heard.length = 0;
  await setLimits(null, '3000000');
  const { paymentIntentId } = large;
  expect((await settle({ paymentIntentId, settledAmount: '3000001' })).json()).toMatchObject({
    ok: false,
    status: 'failed',
    error: 'x402_temporarily_unavailable',
    intentStatus: 'requires_payment',
  });
  expect(settlement.heard).toEqual([]);
  expect((await settle({ paymentIntentId, settledAmount: '3000000' })).json()).toMatchObject({ status: 'processing' });
  await setLimits(null, null);
});

test('a cap at a feed’s price is confirmed while the price lasts, and settled at its rate long after', async () => {
  euro = '1.08';
  // The API caches a feed's price for 100 ms: an earlier test's price may still be the one that it offers.
  await vi.waitFor(async () => {
    const { paymentRequirements } = await newUpto({ tokenShortcode: EURC, usdAmount: '10' });
    expect(paymentRequirements.maxAmountRequired).toBe('9259260');
  });
  const [early, late] = [await newUpto({ tokenShortcode: EURC }), await newUpto({ tokenShortcode: EURC })];
  expect((await confirm(early)).json()).toMatchObject({ ok: true });
  const end = "update svc.acceptances set price_ends_at = now() - interval '1 second' where intent_id = any ($1)";
  await pool.query(end, [[early.paymentIntentId, late.paymentIntentId]]);
  expect((await confirm(late)).json()).toMatchObject({ ok: false, error: 'intent_not_payable' });
  const answer = await settle({ paymentIntentId: early.paymentIntentId, settledAmountUsd: '1.08' });
  expect(answer.json()).toMatchObject({ ok: true, status: 'processing', settledAmount: '1000000' });
});

test('an idempotency key stands for its request: the same one is answered, another is refused', async () => {
  const upto = await newUpto();
  const key = (name: string) => ({ 'idempotency-key': name });
  expect((await confirm(upto, key('c'))).headers['idempotent-replayed']).toBeUndefined();
  const again = await confirm(upto, key('c'));
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(again.json()).toMatchObject({ ok: true, alreadyConfirmed: true });
  const body = { paymentIntentId: upto.paymentIntentId, settledAmount: '5' };
  expect((await settle(body, key('s'))).headers['idempotent-replayed']).toBeUndefined();
  expect((await settle(body, key('s'))).headers['idempotent-replayed']).toBe('true');
  const other = await settle({ ...body, settledAmount: '6' }, key('s'));
  expect([other.statusCode, other.json().error]).toEqual([422, 'idempotency_key_reused']);
});

test('settlement hangs up: nothing is known, and a repeat resumes', async () => {
  const upto = await newUpto();
  await confirm(upto);
  const body = { paymentIntentId: upto.paymentIntentId, settledAmount: '5' };
  settlement.answer = async () => undefined;
  const lost = await settle(body);
  expect(lost.statusCode).toBe(503);
  expect(lost.json()).toMatchObject({ error: 'service_unavailable', retryable: true, moneyMoved: 'unknown' });
  // Settlement had begun, but its answer was lost.
  settlement.answer = async (asked) => {
    await playBegin(asked);
    return undefined;
  };
  expect((await settle(body)).json()).toMatchObject({ ok: true, status: 'processing', settledAmount: '5' });
});

test('what settlement refuses is refused, whatever the API believed', async () => {
  const upto = await newUpto();
  await confirm(upto);
  settlement.answer = async () => ({ error: 'x402_upto_not_available' });
  const answer = await settle({ paymentIntentId: upto.paymentIntentId, settledAmount: '5' });
  expect([answer.statusCode, answer.json().error]).toEqual([422, 'x402_upto_not_available']);
});

test('a refused header leaves a note for the merchant and nothing else', async () => {
  const upto = await newUpto();
  const stranger = await signHeader(newPayer(), upto.paymentRequirements);
  expect((await confirm({ ...upto, paymentHeader: stranger })).json()).toMatchObject({
    ok: false,
    status: 'failed',
    error: 'insufficient_funds',
    paymentIntent: { status: 'requires_payment' },
  });
  const notes = await pool.query('select code from svc.attempts where intent_id = $1', [upto.paymentIntentId]);
  expect(notes.rows).toEqual([{ code: 'insufficient_funds' }]);
  // The signature is not stored if the amount is out of range.
  const refused = await settle({ ...upto, settledAmount: '5000001' });
  expect([refused.statusCode, refused.json().error]).toEqual([422, 'settled_amount_out_of_range']);
  const kept = await pool.query('select from svc.authorizations where intent_id = $1', [upto.paymentIntentId]);
  expect(kept.rowCount).toBe(0);
});

test('past its limit a key is still answered about what is stored, and about nothing else', async () => {
  const limits = { SVC_API_RATE_LIMITS: 'on', SVC_API_RATE_TEST: '1', SVC_API_RATE_ADDRESS: '1000' };
  const busy = await startTestApi({ ...environment, ...limits });
  const { keys: own, accountId: id } = busy.account;
  const ask = (path: string, body: object) =>
    call(busy, 'POST', path, { key: own.test.secret, body, headers: { 'x-account-id': id } });
  const asked = { usdAmount: '5', tokenShortcode: 'anvil_usdc', x402Upto: true };
  const { paymentIntentId, accepts } = (await ask(CREATE, asked)).json();
  const upto = { paymentIntentId, paymentHeader: await signHeader(payer, accepts[0]) };
  expect((await ask(UPTO_CONFIRM, { ...upto, paymentIntentId: 'pi_x' })).json().error).toBe('not_found');
  expect((await ask(UPTO_CONFIRM, upto)).json().error).toBe('rate_limited');
  expect((await ask(UPTO_SETTLE, { ...upto, settledAmount: '1' })).json().error).toBe('rate_limited');
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect((await ask(UPTO_CONFIRM, upto)).json()).toMatchObject({ ok: true, alreadyConfirmed: false });
  for (const _ of [1, 2, 3]) expect((await ask(UPTO_CONFIRM, upto)).json()).toMatchObject({ alreadyConfirmed: true });
  settlement.answer = async () => ({ error: 'intent_not_payable' });
  const settled = await ask(UPTO_SETTLE, { paymentIntentId, settledAmount: '1' });
  expect(settled.json()).toMatchObject({ status: 'failed', error: 'intent_not_payable' });
});

test('a payer has only so many caps open, and only so much pending', async () => {
  const limits = {
    SVC_API_RATE_LIMITS: 'on',
    SVC_API_UPTO_OPEN_PER_PAYER: '1',
    SVC_API_UNSETTLED_USD_PER_PAYER: '8',
  };
  const bounded = await startTestApi({ ...environment, ...limits });
  const key = bounded.account.keys.test.publishable;
  const pay = async (who: ReturnType<typeof newPayer>, path: string, x402Upto: boolean) => {
    const body = { usdAmount: '5', tokenShortcode: 'anvil_usdc', x402Upto };
    const { paymentIntentId, accepts } = (
      await call(bounded, 'POST', CREATE, { key: bounded.account.keys.test.secret, body })
    ).json();
    const submitted = { paymentIntentId, paymentHeader: await signHeader(who, accepts[0]) };
    return (await call(bounded, 'POST', path, { key, body: submitted })).json();
  };
  const [one, other] = [newPayer(), newPayer()];
  for (const { address } of [one, other]) await chain.mint(USDC, address, 10n ** 9n);
  expect(await pay(one, UPTO_CONFIRM, true)).toMatchObject({ ok: true });
  expect(await pay(one, UPTO_CONFIRM, true)).toMatchObject({ ok: false, error: 'x402_temporarily_unavailable' });
  expect(await pay(other, UPTO_CONFIRM, true)).toMatchObject({ ok: true });
  expect(await pay(one, SETTLE, false)).toMatchObject({ status: 'processing' });
  expect(await pay(one, SETTLE, false)).toMatchObject({
    status: 'failed',
    error: 'x402_temporarily_unavailable',
    paymentIntent: { status: 'requires_payment' },
  });
  expect(await pay(other, SETTLE, false)).toMatchObject({ status: 'processing' });
});

test('without a settlement service up-to is not offered, and exact payments are', async () => {
  const lone = { ...environment, SVC_SETTLEMENT_URL: undefined, SVC_INTERNAL_KEY: undefined };
  const other = await startTestApi(lone);
  const asked = { usdAmount: '5', tokenShortcode: 'anvil_usdc', x402Upto: true };
  const key = other.account.keys.test.publishable;
  const created = await call(other, 'POST', CREATE, { key, body: asked });
  expect([created.statusCode, created.json().error]).toEqual([422, 'x402_upto_not_available']);
  const exact = await call(other, 'POST', CREATE, { key, body: { ...asked, x402Upto: false } });
  expect(exact.statusCode).toBe(402);
});

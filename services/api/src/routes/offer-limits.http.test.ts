// Amounts and prices that are not offered or no longer accepted: the minimum of a network and of an account, the hourly
// cap of the processor, and the maximum age of a feed's price.
import type { Acceptance } from '@svc-pay/protocol';
import { padHex } from 'viem';
import { afterEach, describe, expect, test } from 'vitest';
import { CREATE, call, intentPath, SETTLE } from '../testing/call.ts';
import { USDC, VOL } from '../testing/payment-chain.ts';
import { NETWORKS, PROCESSOR } from '../testing/seed-account.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startPayableApi } from '../testing/start-payable-api.ts';

let aheadMs = 0;
const clock = { nowMs: () => Date.now() + aheadMs };
const api = await startPayableApi({}, clock);
const { pool } = api.database;
const { test: testKeys, live: liveKeys } = api.account.keys;
const payer = newPayer();
await api.chain.mint(USDC, payer.address, 10n ** 12n);
await api.chain.mint(VOL, payer.address, 10n ** 30n);

afterEach(async () => {
  aheadMs = 0;
  await pool.query('delete from svc.hourly_caps');
  await pool.query('update svc.account_modes set minimum_usd_micros = null');
});

const create = (body: object, key = testKeys.publishable) => call(api, 'POST', CREATE, { key, body });
const networksOf = (accepts: readonly Acceptance[]) => accepts.map(({ network }) => network);
const settle = async (paymentIntentId: string, acceptance: Acceptance) => {
  const validBefore = String(Math.floor(clock.nowMs() / 1_000) + 300);
  // A permit uses the owner's nonce counter; any other authorization uses a random nonce.
  const permit = acceptance.asset === VOL && { nonce: padHex('0x0', { size: 32 }) };
  const paymentHeader = await signHeader(payer, acceptance, { authorization: { validBefore }, ...permit });
  const body = { paymentIntentId, paymentHeader, paymentRequirements: acceptance };
  return (await call(api, 'POST', SETTLE, { key: testKeys.publishable, body })).json();
};
const attemptsOf = async (id: string) =>
  (await pool.query('select code, detail from svc.attempts where intent_id = $1 order by id', [id])).rows;
const setAccountMinimum = (micros: number) =>
  pool.query('update svc.account_modes set minimum_usd_micros = $1', [micros]);
const setCap = (cap: string) =>
  pool.query(
    `insert into svc.hourly_caps (network, asset, cap, changed_at) values ('eip155:31337', $1, $2, now())
     on conflict (network, asset) do update set cap = excluded.cap`,
    [USDC, cap],
  );

describe('the minimum', () => {
  test('of a live network exists without any setting: dust is not offered, a cent is', async () => {
    const dust = await create({ usdAmount: '0.009999', tokenShortcode: 'base_usdc' }, liveKeys.publishable);
    expect(dust.statusCode).toBe(200);
    expect(dust.json()).toMatchObject({ fallbackSuggested: true, error: 'x402_minimum_amount_not_met', accepts: [] });
    const cent = await create({ usdAmount: '0.01', tokenShortcode: 'base_usdc' }, liveKeys.publishable);
    expect(cent.statusCode).toBe(402);
  });

  test('of one network leaves the offers of the others alone; an explicit 0 takes one unit', async () => {
    const rpcUrls = ['http://127.0.0.1:9'];
    const operated = { processor: PROCESSOR, processorVersion: '1.3.0', ready: true, rpcUrls };
    const networks = {
      'eip155:84532': { ...operated, minimumUsd: '0.5' },
      'eip155:31337': operated,
      'eip155:8453': { ...operated, minimumUsd: '0' },
    };
    const own = await startPayableApi({ SVC_NETWORKS: JSON.stringify({ ...NETWORKS, ...networks }) });
    const { test: ownTest, live: ownLive } = own.account.keys;
    const offered = async (body: object, key = ownTest.publishable) => {
      const { accepts } = (await call(own, 'POST', CREATE, { key, body })).json();
      return networksOf(accepts);
    };
    expect(await offered({ usdAmount: '0.49', symbol: 'USDC' })).toEqual(['eip155:31337']);
    expect(await offered({ usdAmount: '0.5', symbol: 'USDC' })).toEqual(['eip155:84532', 'eip155:31337']);
    expect(await offered({ usdAmount: '0.000001', tokenShortcode: 'base_usdc' }, ownLive.publishable)).toEqual([
      'eip155:8453',
    ]);
  });

  test('of an account counts for new intents, and never refuses a payer who was offered less', async () => {
    await setAccountMinimum(1_000_000);
    expect((await create({ usdAmount: '0.999999', tokenShortcode: 'anvil_usdc' })).json()).toMatchObject({
      error: 'x402_minimum_amount_not_met',
    });
    const capped = await create({ usdAmount: '0.99', tokenShortcode: 'anvil_usdc', x402Upto: true });
    expect([capped.statusCode, capped.json().error]).toEqual([422, 'x402_upto_not_available']);
    const { id, acceptance } = await api.newIntent({ usdAmount: '1' });
    await setAccountMinimum(50_000_000);
    expect(await settle(id, acceptance)).toMatchObject({ status: 'processing' });
  });
});

describe('the hourly cap of the processor', () => {
  test('an amount above it is refused where nothing else is left, and left out where something is', async () => {
    await setCap('2000000');
    const over = await create({ usdAmount: '2.000001', tokenShortcode: 'anvil_usdc' });
    expect(over.statusCode).toBe(422);
    expect(over.json()).toMatchObject({ error: 'amount_too_large', param: 'usdAmount', moneyMoved: 'no' });
    const upto = await create({ amount: '2000001', tokenShortcode: 'anvil_usdc', x402Upto: true });
    expect([upto.statusCode, upto.json().error, upto.json().param]).toEqual([422, 'amount_too_large', 'amount']);
    expect((await create({ usdAmount: '2', tokenShortcode: 'anvil_usdc' })).statusCode).toBe(402);
    const { accepts } = (await create({ usdAmount: '2.000001', symbol: 'USDC' })).json();
    expect(networksOf(accepts)).toEqual(['eip155:84532']);
  });

  test('a cap that sank below an offer refuses the payment before it is claimed; the same offer can be paid later', async () => {
    const { id, acceptance } = await api.newIntent();
    await setCap('1499999');
    expect(await settle(id, acceptance)).toMatchObject({
      status: 'failed',
      error: 'x402_temporarily_unavailable',
      payment: null,
      paymentIntent: { status: 'requires_payment' },
    });
    expect(await attemptsOf(id)).toEqual([{ code: 'x402_temporarily_unavailable', detail: 'hourly_cap' }]);
    const { rows } = await pool.query('select from svc.claims where intent_id = $1', [id]);
    expect(rows).toEqual([]);
    await setCap('1500000');
    expect(await settle(id, acceptance)).toMatchObject({ status: 'processing' });
  });
});

describe('the price of a feed', () => {
  const expiresInMs = async (id: string) => {
    const { paymentIntent } = (await call(api, 'GET', intentPath(id), { key: testKeys.publishable })).json();
    return Date.parse(paymentIntent.expiresAt) - Date.parse(paymentIntent.createdAt);
  };

  test('can be paid for ten minutes, and with nothing else on offer the intent ends with it', async () => {
    const [early, late] = [
      await api.newIntent({ tokenShortcode: 'anvil_vol' }),
      await api.newIntent({ tokenShortcode: 'anvil_vol' }),
    ];
    expect(await expiresInMs(early.id)).toBe(600_000);
    aheadMs = 590_000;
    expect(await settle(early.id, early.acceptance)).toMatchObject({ status: 'processing' });
    aheadMs = 601_000;
    expect(await settle(late.id, late.acceptance)).toMatchObject({ status: 'failed', error: 'intent_not_payable' });
  });

  test('ends alone where a token with a fixed price was offered beside it', async () => {
    const { paymentIntentId, accepts } = (await create({ usdAmount: '1.5' })).json();
    const [usdc, vol] = [USDC, VOL].map((asset) => accepts.find((one: Acceptance) => one.asset === asset));
    expect(await expiresInMs(paymentIntentId)).toBe(86_400_000);
    aheadMs = 601_000;
    expect(await settle(paymentIntentId, vol)).toMatchObject({ status: 'failed', error: 'intent_not_payable' });
    expect(await attemptsOf(paymentIntentId)).toEqual([{ code: 'intent_not_payable', detail: 'price' }]);
    expect(await settle(paymentIntentId, usdc)).toMatchObject({ status: 'processing' });
  });
});

// Published x402 clients buy from us, unchanged, on the real chain: each is a process of its own (peers/buyer.mjs).
import { BASE_SEPOLIA_CHAIN_ID } from '@svc-pay/evm/local';
import type { X402SettleAnswer } from '@svc-pay/protocol/x402';
import { afterAll, describe, expect, test } from 'vitest';
import { ledgerCheck } from '../e2e/ledger-check.ts';
import { startWorld } from '../e2e/start-world.ts';
import { startPeer } from './start-peer.ts';

const world = await startWorld({ chainId: BASE_SEPOLIA_CHAIN_ID });
const { chain, shop, apiUrl, database } = world;
const { usdc } = chain.tokens;
const { privateKey, account } = await chain.newKey();
await chain.mint(usdc, account.address, 1_000_000_000n);
const [buyer, poor] = await Promise.all([
  startPeer('buyer', { privateKey }),
  startPeer('buyer', { privateKey: (await chain.newKey()).privateKey }),
]);
afterAll(async () => {
  await Promise.all([buyer.stop(), poor.stop()]);
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

type Bought = {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> & { readonly paymentIntentId: string };
  readonly thrown?: string;
  readonly requests: number;
  readonly paid: readonly string[];
};

const CREATE = `${apiUrl}/sdk/public/payments/intents/x402`;
const PRICE = 500_000n;
const requestOf = (headers: Readonly<Record<string, string>> = {}) => ({
  method: 'POST',
  headers: { authorization: `Bearer ${shop.publishableKey}`, 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ usdAmount: '0.5', tokenShortcode: 'basesepolia_usdc', resource: 'https://shop.example/page' }),
});
const told = (bought: Bought, header = 'payment-response') =>
  JSON.parse(Buffer.from(bought.headers[header] ?? '', 'base64').toString()) as X402SettleAnswer;
const spent = async <Result>(act: () => Promise<Result>): Promise<{ result: Result; units: bigint }> => {
  const before = await chain.balanceOf(usdc, account.address);
  const result = await act();
  return { result, units: before - (await chain.balanceOf(usdc, account.address)) };
};
const countOf = async (table: 'intents' | 'payments', id?: string) => {
  const where = id === undefined ? '' : `where ${table === 'intents' ? 'id' : 'intent_id'} = '${id}'`;
  return (await database.pool.query(`select count(*)::integer as count from svc.${table} ${where}`)).rows[0].count;
};
/** An intent's address for clients that hold no key. */
async function payableUrl(): Promise<string> {
  const response = await fetch(CREATE, requestOf());
  return response.headers.get('x-svc-pay-url') ?? '';
}

describe.each(['fetch', 'axios'])('@x402/%s', (client) => {
  test('buys with an API key: 402, signature, 200, and the money moves once', async () => {
    const intents = await countOf('intents');
    const { result, units } = await spent(() => buyer.ask<Bought>(client, { url: CREATE, init: requestOf() }));
    expect(result).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    expect(told(result)).toMatchObject({
      success: true,
      network: 'eip155:84532',
      payer: account.address.toLowerCase(),
      amount: PRICE.toString(),
      transaction: result.body['transactionId'],
    });
    expect(units).toBe(PRICE);
    expect(await countOf('intents')).toBe(intents + 1);
  });

  test('buys without a key at the payable address', async () => {
    const url = await payableUrl();
    const { result, units } = await spent(() => buyer.ask<Bought>(client, { url, init: { method: 'GET' } }));
    expect(result).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    expect(units).toBe(PRICE);
    expect(await buyer.ask<Bought>(client, { url, init: { method: 'GET' } })).toMatchObject({
      status: 200,
      body: { status: 'completed' },
    });
  });

  test('without money is told so, for the same intent, and nothing moves', async () => {
    const url = await payableUrl();
    const refused = await poor.ask<Bought>(client, { url, init: { method: 'GET' } });
    expect(refused.status).toBe(402);
    expect(told(refused)).toMatchObject({ success: false, errorReason: 'invalid_exact_evm_insufficient_balance' });
    const { result, units } = await spent(() => buyer.ask<Bought>(client, { url, init: { method: 'GET' } }));
    expect(result.status).toBe(200);
    expect(units).toBe(PRICE);
  });
});

test('@x402/fetch with an Idempotency-Key gets its payment, not the stored 402', async () => {
  const init = requestOf({ 'idempotency-key': 'stock-1' });
  const { result, units } = await spent(() => buyer.ask<Bought>('fetch', { url: CREATE, init }));
  expect(result).toMatchObject({ status: 200, requests: 2 });
  expect(units).toBe(PRICE);
});

test('a buyer whose answer is lost and who asks again under its Idempotency-Key signs nothing more', async () => {
  const init = requestOf({ 'idempotency-key': 'stock-2' });
  const { result, units } = await spent(async () => {
    const lost = await buyer.ask<Bought>('fetch', { url: CREATE, init, lose: true });
    expect(lost.thrown).toContain('connection lost');
    return buyer.ask<Bought>('fetch', { url: CREATE, init });
  });
  // The intent is paid: the stored 402 has nothing to sign any more.
  expect(result.thrown).toContain('payment requirements');
  expect(units).toBe(PRICE);
});

test('the same payment sent twice gets one answer and moves money once', async () => {
  const { result, units } = await spent(() =>
    buyer.ask<Bought>('fetch', { url: CREATE, init: requestOf(), repeat: true }),
  );
  expect(result).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  expect(units).toBe(PRICE);
  expect(await countOf('payments', result.body.paymentIntentId)).toBe(1);
});

test('the link that a browser shows as a checkout page is bought by a stock client, and the page is told', async () => {
  const init = { ...requestOf(), headers: { ...requestOf().headers, authorization: `Bearer ${shop.secretKey}` } };
  const made = (await (await fetch(CREATE, init)).json()) as { paymentIntentId: string; clientSecret: string };
  const url = `${apiUrl}/pay/${made.paymentIntentId}?client_secret=${made.clientSecret}`;
  const shown = async () =>
    (await fetch(url, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })).text();
  expect(await shown()).toContain('<main data-state="open"');
  const { result, units } = await spent(() => buyer.ask<Bought>('fetch', { url, init: { method: 'GET' } }));
  expect(result).toMatchObject({ status: 200, requests: 2, body: { status: 'succeeded' } });
  expect(units).toBe(PRICE);
  expect(await shown()).toContain('<main data-state="paid"');
});

test('x402-fetch of version 1 buys at the payable address', async () => {
  const url = await payableUrl();
  const { result, units } = await spent(() => buyer.ask<Bought>('v1', { url }));
  expect(result).toMatchObject({ status: 200, requests: 2, body: { status: 'succeeded' } });
  expect(told(result, 'x-payment-response')).toMatchObject({
    success: true,
    network: 'base-sepolia',
    payer: account.address.toLowerCase(),
    transaction: result.body['transactionId'],
  });
  expect(units).toBe(PRICE);
});

test('x402-fetch of version 1 without money is told so, and nothing moves', async () => {
  const refused = await poor.ask<Bought>('v1', { url: await payableUrl() });
  expect(refused).toMatchObject({
    status: 402,
    body: { x402Version: 1, error: expect.stringContaining('insufficient') },
  });
  expect(told(refused, 'x-payment-response')).toMatchObject({ success: false, errorReason: 'insufficient_funds' });
});

test('a client’s own spend limit refuses before anything is signed', async () => {
  const response = await fetch(CREATE, {
    ...requestOf(),
    body: JSON.stringify({ usdAmount: '5', tokenShortcode: 'basesepolia_usdc' }),
  });
  const url = response.headers.get('x-svc-pay-url') ?? '';
  const v2 = await buyer.ask<Bought>('fetch', { url });
  expect(v2.thrown).toMatch(/payment payload/i);
  const v1 = await buyer.ask<Bought>('v1', { url });
  expect(v1.thrown).toContain('exceeds maximum allowed');
  for (const { paid } of [v1, v2]) expect(paid).toEqual([]);
});

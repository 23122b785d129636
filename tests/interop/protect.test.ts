// @svc-pay/x402 on four frameworks, sold through the real service and bought by stock clients; up-to by the agent of our SDK.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts } from '@svc-pay/engine/server';
import { BASE_SEPOLIA_CHAIN_ID } from '@svc-pay/evm/local';
import { createAgent, fileSpendStore } from '@svc-pay/sdk/agent';
import { createSvcPay, orThrow } from '@svc-pay/server';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDirectShop, readerHasToken } from '../e2e/direct-shop.ts';
import { blocksOf, promised, runCommands, serve } from '../e2e/example-page.ts';
import { ledgerCheck } from '../e2e/ledger-check.ts';
import { startWorld } from '../e2e/start-world.ts';
import { startPeer } from './start-peer.ts';

type Bought = {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly requests: number;
  readonly paid: readonly string[];
  readonly thrown?: string;
};
type Framework = 'express' | 'hono' | 'fastify' | 'next';

const world = await startWorld({ chainId: BASE_SEPOLIA_CHAIN_ID });
const { chain, apiUrl } = world;
const shop = await openDirectShop(world, 'exclusive');
const { privateKey, account } = await chain.newKey();
await chain.mint(chain.tokens.usdc, account.address, 100_000_000n);
const { secretKey, accountId } = shop;
const [seller, buyer] = await Promise.all([
  startPeer('protected-seller', { seller: { baseUrl: apiUrl, secretKey, accountId } }),
  startPeer('buyer', { privateKey }),
  readerHasToken(world),
]);
const folder = mkdtempSync(path.join(tmpdir(), 'svc-protect-'));
const agent = createAgent({
  signer: account,
  limits: { perRequest: '1.00', perHost: '5.00', perDay: '20.00' },
  store: fileSpendStore(folder),
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([seller.stop(), buyer.stop()]);
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

const { urls } = seller.ready as { urls: Record<Framework, string> };
const runsOf = async (name: string) => (await seller.ask<Record<string, number>>('runs'))[name] ?? 0;
const held = (owner: string) => chain.balanceOf(chain.tokens.usdc, owner as `0x${string}`);
const receiptOf = ({ headers }: Pick<Bought, 'headers'>) =>
  JSON.parse(Buffer.from(headers['payment-response'] ?? '', 'base64').toString('utf8')) as Record<string, unknown>;

describe.each<Framework>(['express', 'hono', 'fastify', 'next'])('protect on %s', (framework) => {
  const url = (path: string) => `${urls[framework]}${path}`;

  test('a stock client buys: the wallet of the account has the price, and the answer is for this buyer only', async () => {
    const before = await held(shop.wallet);
    const bought = await buyer.ask<Bought>('fetch', { url: url('/data') });
    expect(bought).toMatchObject({ status: 200, body: { sky: 'clear' }, requests: 2 });
    expect(bought.headers['cache-control']).toBe('private, no-store');
    expect(receiptOf(bought)).toMatchObject({ success: true, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect((await held(shop.wallet)) - before).toBe(10_000n);
  });

  test('the handler gets the body of the paid request', async () => {
    const init = { method: 'POST', body: 'hello', headers: { 'content-type': 'text/plain' } };
    expect(await buyer.ask<Bought>('fetch', { url: url('/echo'), init })).toMatchObject({ status: 200, body: 'hello' });
  });

  test('a handler that fails takes no money', async () => {
    const before = await held(account.address);
    const failed = await buyer.ask<Bought>('fetch', { url: url('/broken') });
    expect(failed.status).toBe(500);
    expect(await runsOf(`${framework}/broken`)).toBe(1);
    expect(await held(account.address)).toBe(before);
  });

  test('the same payment eight times at once, and once more later, runs one handler, pays once, and is answered once', async () => {
    const [before, runs] = [await held(account.address), await runsOf(`${framework}/data`)];
    const bought = await buyer.ask<Bought>('fetch', { url: url('/data'), repeats: 7 });
    expect(bought).toMatchObject({ status: 200, body: { sky: 'clear' } });
    const later = await fetch(url('/data'), { headers: { 'payment-signature': bought.paid[0] ?? '' } });
    expect([later.status, later.headers.get('payment-required')]).toEqual([409, null]);
    expect((await runsOf(`${framework}/data`)) - runs).toBe(1);
    expect(before - (await held(account.address))).toBe(10_000n);
  });

  test('the agent of our SDK signs a cap: what the handler reports is charged, once, and the rest stays with the payer', async () => {
    const before = await held(account.address);
    const { response, paid } = await agent.pay(url('/words'));
    expect([response.status, await response.json()]).toEqual([200, { words: 37 }]);
    expect(paid).toMatchObject({ amount: '1', payTo: chain.record.processor });
    expect(receiptOf({ headers: Object.fromEntries(response.headers) })).toMatchObject({
      success: true,
      amount: '370000',
    });
    expect(before - (await held(account.address))).toBe(370_000n);
    expect(await runsOf(`${framework}/words`)).toBe(1);
  });
});

test('a stock client does not take a cap for the official scheme: it signs nothing', async () => {
  const refused = await buyer.ask<Bought>('fetch', { url: `${urls.hono}/words` });
  expect(refused).toMatchObject({ thrown: expect.stringContaining('payment required'), paid: [] });
});

test('a client of version 1 buys by the body of the 402', async () => {
  const bought = await buyer.ask<Bought>('v1', { url: `${urls.express}/data` });
  expect(bought).toMatchObject({ status: 200, body: { sky: 'clear' } });
});

test('a payment for one route buys nothing at another of the same price', async () => {
  const { paid } = await buyer.ask<Bought>('fetch', { url: `${urls.express}/data` });
  const swapped = await fetch(`${urls.hono}/data`, { headers: { 'payment-signature': paid[0] ?? '' } });
  expect([swapped.status, swapped.headers.get('payment-required')]).toEqual([409, null]);
});

test('every sale is a completed payment of the account with its events', async () => {
  const svc = createSvcPay({ baseUrl: apiUrl, secretKey, accountId });
  const { data } = orThrow(await svc.events.list({ type: 'payment.completed', limit: 100 }));
  expect(data.length).toBeGreaterThanOrEqual(4 * 4 + 2);
});

test('the page "sell an API" is a seller and a buyer that do what it says', async () => {
  const page = 'docs/guides/sell-an-api.md';
  const programs = blocksOf(page, 'js').map((program) => program.replaceAll('eip155:31337', chain.network));
  expect(programs).toHaveLength(2);
  // Beside the stock packages, so that they resolve as in the reader's own project.
  const own = path.resolve(`tests/interop/.cache/${process.pid}`);
  mkdirSync(own, { recursive: true });
  onTestFinished(() => rmSync(own, { recursive: true }));
  const [sellerFile, buyerFile] = ['seller.mjs', 'buyer.mjs'].map((name) => path.join(own, name)) as [string, string];
  programs.forEach((program, index) => writeFileSync([sellerFile, buyerFile][index] ?? '', program));
  const { admin: port } = await freePorts();
  const environment = {
    BASE_URL: apiUrl,
    SECRET_KEY: secretKey,
    PAYER_KEY: privateKey,
    TOKEN: chain.tokens.usdc,
    PORT: String(port),
  };
  onTestFinished(await serve(`node ${sellerFile}`, environment));
  const [unpaid = '', bought = ''] = blocksOf(page, 'text');
  const ask = `curl -si http://127.0.0.1:${port}/weather`;
  expect(await runCommands(ask, environment)).toMatch(promised(unpaid));
  expect(await runCommands(`node ${buyerFile}`, environment)).toMatch(promised(bought));
});

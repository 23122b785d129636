// The button on the whole service, with nothing played but the payer's wallet: API, settlement, PostgreSQL, Restate, Anvil.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ledgerCheck } from '../e2e/ledger-check.ts';
import { startWorld, type World } from '../e2e/start-world.ts';
import { settleUpto } from '../e2e/upto-calls.ts';
import { browserWorld } from './browser-world.ts';
import { sendingWallet, fundedWallet as walletWith } from './chain-wallets.ts';
import type { TestWallet } from './test-wallet.ts';

const open = browserWorld();
let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  await world.stop();
});

const fundedWallet = (atomic: bigint) => walletWith(world, atomic);

const shopOf = (wallet: TestWallet, attributes: Readonly<Record<string, string>>) => ({
  wallets: [wallet],
  apiUrl: world.apiUrl,
  publishableKey: world.shop.publishableKey,
  buttons: [{ 'token-shortcode': 'anvil_usdc', 'pay-to': world.chain.record.processor, ...attributes }],
});
const balanceOf = ({ account }: TestWallet) => world.chain.balanceOf(world.chain.tokens.usdc, account.address);

test('an order is paid once, is still paid after a reload, and the chain agrees', async () => {
  const wallet = await fundedWallet(5_000_000n);
  const { page, press, reaches, heard, states } = await open(shopOf(wallet, { 'usd-amount': '1.5', order: '1234' }));
  await press.click();
  await reaches('paid');
  expect(await balanceOf(wallet)).toBe(3_500_000n);
  const completed = (await heard()).filter(({ type }) => type === 'svc-sdk-transaction-completed');
  expect(completed).toHaveLength(1);
  expect(completed[0]?.detail).toMatchObject({ amount: '1500000', moneyMoved: 'yes', payer: wallet.account.address });
  await page.reload();
  await reaches('paid');
  expect(await states()).toEqual(['checking', 'paid']);
  expect(await balanceOf(wallet)).toBe(3_500_000n);
});

test('a payer whose wallet refuses typed data pays by the regular flow with gas of his own, once, and the page that comes back knows', async () => {
  const wallet = await sendingWallet(world, 5_000_000n);
  const shop = shopOf(wallet, { 'usd-amount': '1.5', order: '5678' });
  const { page, button, press, reaches, heard, states } = await open(shop);
  await press.click();
  await reaches('confirming');
  // The reader applies what is final.
  await button.and(page.locator('[state=paid]')).waitFor({ timeout: 60_000 });
  expect(await balanceOf(wallet)).toBe(3_500_000n);
  expect((await states()).filter((state) => /approv|pay|confirming/.test(state))).toEqual([
    'approve',
    'approving',
    'pay',
    'confirming',
  ]);
  const told = await heard();
  expect(told.find(({ type }) => type === 'svc-sdk-transaction-failed')?.detail).toMatchObject({
    flow: 'x402',
    moneyMoved: 'no',
    error: { code: 'typed_data_unsupported' },
  });
  const completed = told.filter(({ type }) => type === 'svc-sdk-transaction-completed');
  expect(completed).toHaveLength(1);
  expect(completed[0]?.detail).toMatchObject({
    flow: 'regular',
    amount: '1500000',
    moneyMoved: 'yes',
    payer: wallet.account.address,
    transactionId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  await page.reload();
  await reaches('paid');
  expect(wallet.asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(2);
  expect(await balanceOf(wallet)).toBe(3_500_000n);
});

test('a cap is authorized, the merchant charges less, and the page that comes back knows', async () => {
  const wallet = await fundedWallet(5_000_000n);
  const { page, press, reaches, heard } = await open(
    shopOf(wallet, { 'usd-amount': '5', order: 'tab-7', mode: 'upto' }),
  );
  await press.click();
  await reaches('authorized');
  expect(await balanceOf(wallet)).toBe(5_000_000n);
  const [submitted] = (await heard()).filter(({ type }) => type === 'svc-x402-upto-submitted');
  expect(submitted?.detail).toMatchObject({ capAmount: '5000000', order: 'tab-7', payer: wallet.account.address });
  await page.reload();
  await reaches('authorized');
  const paymentIntentId = String(submitted?.detail['paymentIntentId']);
  expect((await settleUpto(world, { paymentIntentId, settledAmount: '1250000' })).body).toMatchObject({ ok: true });
  await page.reload();
  await reaches('paid');
  expect(await balanceOf(wallet)).toBe(3_750_000n);
});

/** As a merchant's server does it: what the page gets of the answer. */
async function intentOfServer(
  body: object,
): Promise<{ readonly paymentIntentId: string; readonly clientSecret: string }> {
  const response = await fetch(`${world.apiUrl}/sdk/public/payments/intents/x402`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.shop.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tokenShortcode: 'anvil_usdc', metadata: { note: 'of the server' }, ...body }),
  });
  return (await response.json()) as { paymentIntentId: string; clientSecret: string };
}
const pageOf = (wallet: TestWallet, attributes: Readonly<Record<string, string>>, width: number) => ({
  wallets: [wallet],
  apiUrl: world.apiUrl,
  publishableKey: '',
  buttons: [attributes],
  width,
});

test.each([
  ['desktop', 1280],
  ['phone', 320],
])(
  'an intent of the server is paid with its client secret alone (%s), and stays paid on any page',
  async (_, width) => {
    const wallet = await fundedWallet(5_000_000n);
    const { paymentIntentId, clientSecret } = await intentOfServer({ usdAmount: '1.5' });
    const attributes = { 'payment-intent-id': paymentIntentId, 'client-secret': clientSecret, 'usd-amount': '1.5' };
    const { page, press, reaches, heard } = await open(pageOf(wallet, attributes, width));
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url(), request.headers()['authorization'] ?? ''));
    expect(await press.innerText()).toBe('Pay $1.50');
    await press.click();
    await reaches('paid');
    expect(await balanceOf(wallet)).toBe(3_500_000n);
    expect((await heard()).at(-1)?.detail).toMatchObject({ state: 'paid', paymentIntentId });
    const urls = sent.filter((text) => text.startsWith('http'));
    expect(urls.some((url) => url.endsWith('/settle'))).toBe(true);
    expect(urls.join('\n')).not.toContain(clientSecret);
    expect(new Set(sent.filter((text) => text.startsWith('Bearer')))).toEqual(new Set([`Bearer ${clientSecret}`]));
    const kept = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
    expect(kept).toContain(paymentIntentId);
    expect(kept).not.toContain(clientSecret);
    await page.reload();
    await reaches('paid');
    // A browser that has never seen it signs nothing, and learns that it is paid.
    const stranger = await fundedWallet(5_000_000n);
    const elsewhere = await open(pageOf(stranger, attributes, width));
    await elsewhere.press.click();
    await elsewhere.reaches('paid');
    expect(stranger.asked).not.toContain('eth_signTypedData_v4');
    expect(await balanceOf(stranger)).toBe(5_000_000n);
  },
);

test('the secret of one intent pays no other, and an intent that asks for more than the page shows is not signed', async () => {
  const wallet = await fundedWallet(50_000_000n);
  const [one, other] = [await intentOfServer({ usdAmount: '1.5' }), await intentOfServer({ usdAmount: '15' })];
  const swapped = { 'payment-intent-id': other.paymentIntentId, 'client-secret': one.clientSecret };
  const dearer = {
    'payment-intent-id': other.paymentIntentId,
    'client-secret': other.clientSecret,
    'usd-amount': '1.5',
  };
  for (const attributes of [swapped, dearer]) {
    const { press, reaches } = await open(pageOf(wallet, attributes, 1280));
    await press.click();
    await reaches('failed');
  }
  expect(wallet.asked).not.toContain('eth_signTypedData_v4');
  expect(await balanceOf(wallet)).toBe(50_000_000n);
});

test('a cap of the server is authorized with its client secret alone, and another device shows how it stands, never as failed', async () => {
  const wallet = await fundedWallet(5_000_000n);
  const { paymentIntentId, clientSecret } = await intentOfServer({ usdAmount: '5', x402Upto: true });
  const attributes = { 'payment-intent-id': paymentIntentId, 'client-secret': clientSecret, mode: 'upto' };
  const { page, press, reaches } = await open(pageOf(wallet, attributes, 1280));
  await press.click();
  await reaches('authorized');
  await page.reload();
  await reaches('authorized');
  const stranger = await fundedWallet(5_000_000n);
  const elsewhere = async () => {
    const { press: other, reaches: shows, heard } = await open(pageOf(stranger, attributes, 1280));
    await other.click();
    return { shows, failures: async () => (await heard()).filter(({ type }) => type.endsWith('-failed')) };
  };
  const early = await elsewhere();
  await early.shows('authorized');
  expect(await early.failures()).toEqual([]);
  expect((await settleUpto(world, { paymentIntentId, settledAmount: '1250000' })).body).toMatchObject({ ok: true });
  const late = await elsewhere();
  await late.shows('paid');
  expect(await late.failures()).toEqual([]);
  expect(stranger.asked).not.toContain('eth_signTypedData_v4');
  expect(await balanceOf(stranger)).toBe(5_000_000n);
  expect(await balanceOf(wallet)).toBe(3_750_000n);
});

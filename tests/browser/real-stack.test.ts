// The button on the whole service, with nothing played but the payer's wallet: API, settlement, PostgreSQL, Restate, Anvil.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ledgerCheck } from '../e2e/ledger-check.ts';
import { startWorld, type World } from '../e2e/start-world.ts';
import { settleUpto } from '../e2e/upto-calls.ts';
import { browserWorld } from './browser-world.ts';
import { type TestWallet, testWallet } from './test-wallet.ts';

const open = browserWorld();
let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  await world.stop();
});

/** With so much in it, reading its own node. */
async function fundedWallet(atomic: bigint): Promise<TestWallet> {
  const { chain } = world;
  const wallet = testWallet('Harbor', {
    eth_call: async (params) => {
      const response = await fetch(chain.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
      });
      return ((await response.json()) as { result: unknown }).result;
    },
  });
  await chain.mint(chain.tokens.usdc, wallet.account.address, atomic);
  return wallet;
}

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

// The checkout page where the payer sends the payment himself.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect, test } from 'vitest';
import { sendingWallet } from './chain-wallets.ts';
import { checkoutWorld } from './checkout-world.ts';

const { world, newLink, open } = checkoutWorld();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** An intent that nobody can sign for. */
async function newRegularLink() {
  const { apiUrl, shop } = world();
  const response = await fetch(`${apiUrl}/sdk/public/payments/intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ usdAmount: '12.5', tokenShortcode: 'anvil_usdc' }),
  });
  const { paymentIntentId, clientSecret } = (await response.json()) as Readonly<Record<string, string>>;
  return { url: `${apiUrl}/pay/${paymentIntentId}?client_secret=${clientSecret}` };
}

test.each([
  ['nobody can sign for the intent', newRegularLink, 'Paid by your wallet'],
  ['the wallet can’t sign typed data', newLink, 'None'],
])('%s: the payer sends the payment, the page says who pays the fee, and the chain agrees', async (_, make, fee) => {
  const wallet = await sendingWallet(world(), 20_000_000n);
  const { page, reaches, complaints } = await open((await make()).url, { wallets: [wallet] });
  await reaches('open');
  expect(await page.locator('dl').innerText()).toContain(fee);
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    return axe.run({ resultTypes: ['violations'] });
  });
  expect(violations).toEqual([]);
  await page.locator('svc-pay-button .press').click();
  await page.locator('main[data-state="paid"]').waitFor({ timeout: 60_000 });
  const { chain } = world();
  expect(await chain.balanceOf(chain.tokens.usdc, wallet.account.address)).toBe(7_500_000n);
  expect(wallet.asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(2);
  // The button asks the network's public node for a balance if the wallet is on another chain; the policy does not let it.
  expect(complaints.filter((text) => !text.includes('//127.0.0.1:8545/'))).toEqual([]);
});

// A phone wallet pays the checkout page by its Solana Pay code, with no extension in the browser: the whole service, Chromium,
// and a script that does what the specification asks of a wallet.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ledgerCheck } from '../e2e/ledger-check.ts';
import { newPayer, PRICE, type SolanaWorld, startSolanaWorld } from '../e2e/solana-world.ts';
import { addressIn, followSolanaPay } from '../solana/follow-solana-pay.ts';
import { decodeCode } from './decode-code.ts';
import { launchChromium } from './start-browser.ts';
import { takePicture } from './take-picture.ts';

let world: SolanaWorld;
let chromium: Awaited<ReturnType<typeof launchChromium>>;
beforeAll(async () => {
  [world, chromium] = await Promise.all([startSolanaWorld(), launchChromium()]);
  await world.database.pool.query(`update svc.accounts set name = 'Tea House'`);
});
afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  await chromium?.close();
  await world?.stop();
});

async function openCheckout(path: 'intents' | 'intents/x402'): Promise<{ readonly page: Page; readonly id: string }> {
  const { apiUrl, shop } = world;
  const response = await fetch(`${apiUrl}/sdk/public/payments/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ usdAmount: '1.5', tokenShortcode: 'soldevnet_usdc' }),
  });
  const { paymentIntentId, clientSecret } = (await response.json()) as Readonly<Record<string, string>>;
  const context = await chromium.browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${apiUrl}/pay/${paymentIntentId}?client_secret=${clientSecret}`);
  await page.locator('main[data-state="open"]').waitFor();
  return { page, id: String(paymentIntentId) };
}

test.each(['intents/x402', 'intents'] as const)(
  'the code on the page of %s is a link that a wallet follows and pays, and the page says paid',
  async (path) => {
    const { page, id } = await openCheckout(path);
    await takePicture(page, path === 'intents' ? 'solana-desk-light' : 'solana-signed-desk-light');
    const link = await decodeCode(page, '.solana .qr svg');
    expect(link).toBe(await page.locator('.solana a').getAttribute('href'));
    expect(addressIn(link).href).toContain(`/pay/solana/${id}?client_secret=test_`);
    const payer = await newPayer(world);
    await world.solana.fundSol(payer.address, 100_000_000n);
    const { label, message } = await followSolanaPay(link, payer, world.solana.rpcUrl);
    expect([label, message]).toEqual(['Tea House', '1.50 USDC to Tea House']);
    await page.locator('main[data-state="paid"]').waitFor({ timeout: 60_000 });
    expect(await page.locator('main').textContent()).toContain('1.50 USDC');
    const { rows } = await world.database.pool.query(
      'select status, payer, paid_amount::text as paid from svc.payments where intent_id = $1',
      [id],
    );
    expect(rows).toEqual([{ status: 'completed', payer: payer.address, paid: PRICE.toString() }]);
    await page.context().close();
  },
  120_000,
);

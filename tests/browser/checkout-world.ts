// The checkout page in Chromium, on the whole service.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startWorld, type World } from '../e2e/start-world.ts';
import { launchChromium } from './start-browser.ts';
import { takePicture } from './take-picture.ts';
import { installWallets, type TestWallet } from './test-wallet.ts';

const EXPLORER = 'https://explorer.example/tx/{transactionId}';

export const DESK: BrowserContextOptions = { viewport: { width: 1280, height: 640 } };
export const PHONE: BrowserContextOptions = { viewport: { width: 375, height: 760 }, isMobile: true, hasTouch: true };

export type PayLink = { readonly id: string; readonly url: string };

export type OpenedPage = {
  readonly page: Page;
  /** Every address that the page asked for. */
  readonly asked: string[];
  /** What the browser complained about: errors of scripts, and what the policy refused. */
  readonly complaints: string[];
  readonly reaches: (state: string) => Promise<void>;
};

export type OpenOptions = { readonly wallets?: readonly TestWallet[]; readonly device?: BrowserContextOptions };

export function checkoutWorld() {
  let world: World | undefined;
  let chromium: Awaited<ReturnType<typeof launchChromium>> | undefined;
  const started = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('not started');
    return value;
  };
  beforeAll(async () => {
    [world, chromium] = await Promise.all([startWorld({ network: { explorerUrl: EXPLORER } }), launchChromium()]);
    await world.database.pool.query(`update svc.accounts set name = 'Tea House'`);
  });
  afterAll(async () => {
    await chromium?.close();
    await world?.stop();
  });

  return {
    world: () => started(world),

    /** An intent as the merchant's server makes it. */
    newLink: async (body: object = {}): Promise<PayLink> => {
      const { apiUrl, shop } = started(world);
      const response = await fetch(`${apiUrl}/sdk/public/payments/intents/x402`, {
        method: 'POST',
        headers: { authorization: `Bearer ${shop.secretKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ usdAmount: '12.5', tokenShortcode: 'anvil_usdc', ...body }),
      });
      const { paymentIntentId, clientSecret } = (await response.json()) as Readonly<Record<string, string>>;
      return { id: String(paymentIntentId), url: `${apiUrl}/pay/${paymentIntentId}?client_secret=${clientSecret}` };
    },

    open: async (url: string, { wallets = [], device = DESK }: OpenOptions = {}): Promise<OpenedPage> => {
      const context = await started(chromium).browser.newContext({ locale: 'en-US', ...device });
      onTestFinished(() => context.close());
      if (wallets.length > 0) await installWallets(context, wallets);
      const page = await context.newPage();
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('pageerror', (problem) => complaints.push(problem.message));
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) complaints.push(message.text());
      });
      await page.goto(url);
      const reaches = (state: string) => page.locator(`main[data-state="${state}"]`).waitFor({ timeout: 15_000 });
      return { page, asked, complaints, reaches };
    },

    picture: takePicture,
  };
}

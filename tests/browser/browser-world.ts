import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Browser, type PageOptions, type ShopPage, startBrowser } from './start-browser.ts';

/** One browser for a whole test file; its pages go with their tests. */
export function browserWorld(source = "import '@svc-pay/pay-button';") {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await startBrowser(source);
  });
  afterAll(() => browser?.stop());
  return async (options: PageOptions = {}): Promise<ShopPage> => {
    if (browser === undefined) throw new Error('no browser');
    const shop = await browser.open(options);
    onTestFinished(shop.close);
    return shop;
  };
}

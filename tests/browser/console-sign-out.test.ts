// What the browser still shows of a session that is over.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ConsoleDouble, startConsoleDouble } from './console-double.ts';
import { launchChromium } from './start-browser.ts';

let double: ConsoleDouble;
let chromium: Awaited<ReturnType<typeof launchChromium>>;
beforeAll(async () => {
  double = await startConsoleDouble();
  chromium = await launchChromium();
});
beforeEach(() => double.instead.clear());
afterAll(async () => {
  await chromium.close();
  double.stop();
});

const endSession = () =>
  double.instead.set('/me', { status: 401, body: { error: 'session_over', message: 'Sign in.' } });

async function open(page: Page, name: string): Promise<void> {
  await page.goto(`${double.origin}/test/${double.accountId}/${name}`);
  await page.locator('h1').first().waitFor();
}

test('after signing out, Back leads to the sign-in, also at once and while that page still loads', async () => {
  const page = await chromium.browser.newPage();
  await page.route('**/assets/sign-in-*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await open(page, 'people');
  await open(page, 'payouts');
  double.instead.set('/sign-out', { status: 200, body: {} });
  endSession();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL(/\/sign-in$/);
  for (const left of ['payouts', 'people']) {
    await page.goBack();
    await page.waitForURL((url) => url.pathname === '/sign-in' && url.search.endsWith(left));
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
  }
  await page.close();
});

test('a page that the browser kept whole and brings back asks again who is signed in', async () => {
  const page = await chromium.browser.newPage();
  await open(page, 'people');
  endSession();
  // A browser that is driven by a program keeps none, so that the event is made here.
  await page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await page.waitForURL(/\/sign-in\?next=/);
  await page.close();
});

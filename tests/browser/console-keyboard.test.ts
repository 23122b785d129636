// A person without a pointer: every step by keys alone, and what has the focus is seen at each of them.
import { generateKeyPairSync } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plugAuthenticator } from './console-browser.ts';
import { type ConsoleDouble, startConsoleDouble } from './console-double.ts';
import { intentIdAt } from './console-records.ts';
import { launchChromium } from './start-browser.ts';

/** More than any page of the double has before what is looked for. */
const MOST_TABS = 80;

let double: ConsoleDouble;
let chromium: Awaited<ReturnType<typeof launchChromium>>;
beforeAll(async () => {
  double = await startConsoleDouble();
  chromium = await launchChromium();
});
afterAll(async () => {
  await chromium.close();
  double.stop();
});

/** What has the focus, and whether it is seen: an outline of the element, or of what covers its row. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return { name: '', isSeen: false };
    const isDrawn = (pseudo?: string) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element, pseudo);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
    };
    const { width, height } = element.getBoundingClientRect();
    const label =
      (element instanceof HTMLSelectElement || element instanceof HTMLInputElement
        ? element.labels?.[0]?.textContent
        : null) ??
      element.getAttribute('aria-label') ??
      element.textContent ??
      '';
    return { name: label.trim(), isSeen: (isDrawn() || isDrawn('::after')) && width > 0 && height > 0 };
  });

async function pressUntil(page: Page, key: 'Tab' | 'Shift+Tab', wanted: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    await page.keyboard.press(key);
    const { name, isSeen } = await focused(page);
    passed.push(name);
    // The focus leaves the page for the browser's own bars once in a round.
    if (name !== '') expect({ name, isSeen }).toEqual({ name, isSeen: true });
    if (wanted.test(name)) return;
  }
  throw new Error(`nothing called ${wanted} gets the focus, only ${passed.join(', ')}`);
}

/** A passkey that the page's authenticator has, and a server that lets its person in once it is used. */
async function openSignIn(page: Page): Promise<void> {
  const authenticator = await plugAuthenticator(page);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await authenticator.put({
    credentialId: Buffer.from('passkey-of-ada').toString('base64'),
    isResidentCredential: true,
    rpId: 'localhost',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    userHandle: Buffer.from('ada').toString('base64'),
    signCount: 1,
  });
  double.instead.set('/me', { status: 401, body: { error: 'session_over', message: 'Sign in.' } });
  double.instead.set('/sign-in/options', {
    status: 200,
    body: { options: { challenge: 'AAAAAAAAAAAAAAAAAAAAAA', rpId: 'localhost', userVerification: 'required' } },
  });
  // The server ends the 401 itself: the browser reports its requests to the test later than the page sends the next ones.
  double.instead.set('/sign-in/verify', () => {
    double.instead.delete('/me');
    return { status: 200, body: { ok: true } };
  });
  const { port } = new URL(double.origin);
  await page.goto(`http://localhost:${port}/test/${double.accountId}/payments`);
  await page.waitForURL(/\/sign-in\?next=/);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
}

test('a person signs in, filters, opens a payment, looks at a refund and comes back by keys alone', async () => {
  const context = await chromium.browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  const page = await context.newPage();
  await openSignIn(page);
  await pressUntil(page, 'Tab', /^Sign in with a passkey$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/payments$/);
  await page.locator('[data-row]').first().waitFor();

  await pressUntil(page, 'Tab', /^Status/);
  await page.keyboard.press('End');
  await page.waitForURL(/\?status=\w+$/);
  await page.locator('[data-row]').first().waitFor();
  await pressUntil(page, 'Tab', /^12\.50/);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/payments/${intentIdAt(0)}$`));

  await pressUntil(page, 'Tab', /^Refund$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Refund' }).waitFor();
  await pressUntil(page, 'Tab', /^Amount/);
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(await focused(page)).toEqual({ name: 'Refund', isSeen: true });

  await pressUntil(page, 'Shift+Tab', /^Payments$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/payments(?:\?|$)/);
  await page.locator('[data-row]').first().waitFor();
  expect(double.sent.filter(({ path }) => path.includes('refund'))).toEqual([]);
  await context.close();
});

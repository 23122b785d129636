// A visitor who goes from a page of the sandbox into the console.
import { expect } from 'vitest';
import type { Visitor } from './open-browser.ts';

/** From the timeline page, with a payment on display. The console shows the same payment, and to somebody who may change things. */
export async function lookIntoConsole(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  const intentId = (await page.getAttribute('.sum code', 'title')) ?? '';
  await page.click('.sum .open');
  await page.waitForURL((url) => url.hostname === 'localhost' && url.pathname.endsWith(`/payments/${intentId}`));
  await page.waitForSelector('h1');
  const steps = page.locator('main ol > li');
  await expect.poll(() => steps.count(), { timeout: 15_000 }).toBeGreaterThanOrEqual(6);
  // A new key needs a passkey check of the last minutes: the visitor is asked for none.
  await page.click('nav a[href$="/keys"]');
  await page.click('button:has-text("Create key")');
  await page.click('dialog button:has-text("Create")');
  await page.waitForSelector('dialog h2:has-text("New secret key")');
  expect(await page.textContent('dialog')).toMatch(/sk_test_\w+/);
}

/** The link into the console works once, from pages of the sandbox alone. */
export async function tryDoor(consoleUrl: string): Promise<void> {
  const ask = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(url, { redirect: 'manual', headers });
  expect((await ask(consoleUrl, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await ask(consoleUrl.replace('127.0.0.1', 'localhost'))).status).toBe(403);
  const link = (await ask(consoleUrl)).headers.get('location') ?? '';
  expect((await ask(link.replace('localhost', '127.0.0.1'))).status).toBe(404);
  expect((await ask(link)).status).toBe(404);
  const another = (await ask(consoleUrl)).headers.get('location') ?? '';
  const letIn = await ask(another);
  expect(letIn.headers.get('set-cookie')).toMatch(/^svc_console=[\w-]{86}; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(letIn.headers.get('location')).toMatch(/^http:\/\/localhost:\d+\/test\/acct_\w+\/overview$/);
  expect((await ask(another)).status).toBe(404);
}

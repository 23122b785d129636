import type { Page } from 'playwright-core';

/** Moves a page's time on in steps, with a breath between them for what goes over the network. */
export async function passTime(page: Page, totalMs: number, stepMs = 5_000): Promise<void> {
  for (let passedMs = 0; passedMs < totalMs; passedMs += stepMs) {
    await page.clock.fastForward(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Moves it on until the first button stands there. */
export async function passTimeUntil(page: Page, state: string, limitMs: number, stepMs = 5_000): Promise<void> {
  const button = page.locator('svc-pay-button').first();
  for (let passedMs = 0; passedMs <= limitMs; passedMs += stepMs) {
    if ((await button.getAttribute('state')) === state) return;
    await passTime(page, stepMs, stepMs);
  }
  throw new Error(`not ${state} within ${limitMs} ms: ${await button.getAttribute('state')}`);
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect, test } from 'vitest';
import { browserWorld } from './browser-world.ts';
import { play, SCENES } from './scenes.ts';
import type { ShopPage } from './start-browser.ts';
import { testWallet } from './test-wallet.ts';

const open = browserWorld();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function findings({ page }: ShopPage): Promise<string[]> {
  const { violations } = await page.evaluate(() => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    return axe.run({ resultTypes: ['violations'] });
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test.each(SCENES)('$name: axe finds nothing, light or dark, and 320 pixels are enough', async (scene) => {
  // Colours that are on their way are no colours yet.
  const shop = await open({ ...scene.options(), reducedMotion: 'reduce' });
  await play(shop, scene);
  await shop.page.evaluate(AXE);
  expect(await findings(shop)).toEqual([]);
  await shop.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  expect(await findings(shop)).toEqual([]);
  await shop.page.setViewportSize({ width: 320, height: 640 });
  expect(await shop.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

test('told by its attribute, a button is light or dark whatever the payer prefers', async () => {
  const { page } = await open({
    colorScheme: 'dark',
    buttons: [
      { 'usd-amount': '1', order: 'a', theme: 'light' },
      { 'usd-amount': '2', order: 'b', theme: 'dark' },
      { 'usd-amount': '3', order: 'c' },
    ],
  });
  const colours = await page
    .locator('svc-pay-button .press')
    .evaluateAll((buttons) => buttons.map((button) => getComputedStyle(button).backgroundColor));
  expect(colours).toEqual(['rgb(21, 23, 28)', 'rgb(243, 244, 246)', 'rgb(243, 244, 246)']);
});

test('everything is reached and done by keyboard, focus is seen, and it comes back', async () => {
  const wallets = [testWallet('Fern'), testWallet('Harbor'), testWallet('Lantern')];
  const shop = await open({ wallets });
  const { page, press, reaches } = shop;
  const focused = () =>
    page.evaluate(() => {
      const inside = document.activeElement?.shadowRoot?.activeElement;
      const { outlineStyle = 'none', outlineWidth = '0' } = inside ? getComputedStyle(inside) : {};
      return { text: inside?.textContent?.trim() ?? '', isSeen: outlineStyle !== 'none' && outlineWidth !== '0px' };
    });
  await page.keyboard.press('Tab');
  expect(await focused()).toEqual({ text: 'Pay $12.50', isSeen: true });
  await page.keyboard.press('Enter');
  await reaches('choose-wallet');
  await expect.poll(async () => (await focused()).text).toMatch(/Fern$/);
  expect((await focused()).isSeen).toBe(true);
  await page.keyboard.press('ArrowDown');
  expect((await focused()).text).toMatch(/Harbor$/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  expect((await focused()).text).toMatch(/Lantern$/);
  await page.keyboard.press('Escape');
  await reaches('ready');
  await expect.poll(focused).toEqual({ text: 'Pay $12.50', isSeen: true });
  await page.keyboard.press('Space');
  await reaches('choose-wallet');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await reaches('paid');
  expect((await focused()).text).toBe('Paid $12.50');
  expect(wallets[1]?.asked).toContain('eth_signTypedData_v4');
  expect(await press.getAttribute('aria-disabled')).toBe('true');
});

test('each change is said to a screen reader, politely and whole', async () => {
  const { button, press, reaches } = await open({ wallets: [] });
  const live = button.locator('[role=status]');
  expect(await live.getAttribute('aria-live')).toBe('polite');
  const before = await live.elementHandle();
  await press.click();
  await reaches('failed');
  const after = await live.elementHandle();
  expect(await live.innerText()).toMatch(/Not paid.*No wallet was found.*Nothing was charged\./s);
  // The same region all along: one that is put in with its words is not read out.
  expect(await before?.evaluate((one, other) => one === other, after)).toBe(true);
});

test('who wants less motion gets none that turns', async () => {
  const scene = SCENES.find(({ name }) => name === 'settling');
  if (scene === undefined) throw new Error('no such scene');
  const animations: string[] = [];
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    const shop = await open({ ...scene.options(), reducedMotion });
    await play(shop, scene);
    animations.push(
      await shop.button.locator('.spinner').evaluate((spinner) => getComputedStyle(spinner).animationName),
    );
  }
  expect(animations).toEqual(['turn', 'pulse']);
});

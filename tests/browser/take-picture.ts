// Pictures of the checkout page, for people to look at.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { takesPictures } from './config.ts';

const SHOTS = path.resolve('.cache/shots');
const PICTURES = path.resolve('docs/integrate/images');
/** In the documentation. */
const SHOWN: ReadonlySet<string> = new Set([
  'open-desk-light',
  'paid-desk-light',
  'open-phone-dark',
  'solana-desk-light',
]);

export async function takePicture(page: Page, name: string): Promise<void> {
  if (!takesPictures()) return;
  mkdirSync(SHOTS, { recursive: true });
  const picture = await page.screenshot({ path: path.join(SHOTS, `checkout-${name}.png`), fullPage: true });
  if (SHOWN.has(name)) writeFileSync(path.join(PICTURES, `checkout-${name}.png`), picture);
}

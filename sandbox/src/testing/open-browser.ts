// Debian's Chromium with a fresh profile; takes screenshots in desktop and phone width.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { chromiumPath } from './config.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const DESK = { width: 1280, height: 860 };
const PHONE = { width: 360, height: 760 };
const PICTURES = path.resolve('.cache/pictures');

export type Visitor = {
  readonly page: Page;
  /** Errors of the page. */
  readonly errors: readonly string[];
  /** Saves `.cache/pictures/<name>-<width>.png`; fails if the page overflows horizontally. */
  readonly picture: (name: string) => Promise<void>;
};

export async function openBrowser(): Promise<Visitor> {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: DESK, reducedMotion: 'reduce' });
  const errors: string[] = [];
  page.on('pageerror', (problem) => errors.push(problem.message));
  mkdirSync(PICTURES, { recursive: true });
  return {
    page,
    errors,
    picture: async (name) => {
      for (const size of [PHONE, DESK]) {
        await page.setViewportSize(size);
        await page.screenshot({ path: path.join(PICTURES, `${name}-${size.width}.png`) });
        const sticksOut = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(sticksOut, `${name} at ${size.width}`).toBeLessThanOrEqual(0);
      }
    },
  };
}

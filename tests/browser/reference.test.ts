// The pages that the API serves about itself, in a real browser under their own policy.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type RunningApi, startApi } from '@svc-pay/api';
import { readApiConfig } from '@svc-pay/api/config';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './config.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let api: RunningApi;
let browser: Browser;
beforeAll(async () => {
  const { url } = await createTestDatabase();
  const read = readApiConfig({
    SVC_DATABASE_URL: url,
    SVC_KEY_PEPPER: Buffer.alloc(32, 7).toString('base64'),
    SVC_NETWORKS: '{}',
    SVC_API_PORT: '0',
    SVC_API_METRICS_PORT: '0',
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  api = await startApi(read.config);
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-gpu'] });
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

type Opened = { readonly page: Page; readonly foreign: string[]; readonly complaints: string[] };

async function open(path: string, width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
  const page = await context.newPage();
  const foreign: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(api.url) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (problem) => complaints.push(problem.message));
  await page.exposeFunction('violated', (policy: string) => complaints.push(`violates ${policy}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      (window as unknown as { violated: (policy: string) => void }).violated(`${violatedDirective}: ${blockedURI}`),
    );
  });
  await page.goto(`${api.url}${path}`);
  return { page, foreign, complaints };
}

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** The renderer draws a chapter when it comes into view. */
async function readThrough(page: Page): Promise<void> {
  for (let step = 0; step < 30; step += 1) {
    await page.mouse.wheel(0, 3_000);
    await page.waitForTimeout(50);
  }
  await page.getByRole('heading', { name: 'Webhooks' }).first().waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('token');
  await page.getByText('List the tokens').first().waitFor();
}

describe('the reference', () => {
  test.each([
    [1_280, 'light'],
    [390, 'light'],
    [320, 'dark'],
  ] as const)(
    'at %i pixels, %s: it shows the routes, fits, asks no other server and keeps to its policy',
    async (width, scheme) => {
      const { page, foreign, complaints } = await open('/reference', width, scheme);
      await page.getByRole('heading', { name: 'SVC Pay' }).first().waitFor({ timeout: 30_000 });
      await page.getByText('Create an X402 intent').first().waitFor({ state: 'attached' });
      await readThrough(page);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const lightness = Math.max(...(background.match(/\d+/g) ?? []).slice(0, 3).map(Number));
      if (scheme === 'dark') expect(lightness).toBeLessThan(80);
      else expect(lightness).toBeGreaterThan(200);
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  test('an error code in the address leads to its explanation', async () => {
    const { page } = await open('/reference#token_unknown', 1_280);
    await page.waitForURL(`${api.url}/reference/errors#token_unknown`);
    await page.locator('#token_unknown').waitFor();
    await page.context().close();
  });
});

test.each(['/', '/reference/errors'])(
  '%s: axe finds nothing, light or dark, and 320 pixels are enough',
  async (path) => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, foreign, complaints } = await open(path, 320, scheme);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => {
        const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
        return axe.run({ resultTypes: ['violations'] });
      });
      expect(violations.map(({ id }) => id)).toEqual([]);
      expect([...foreign, ...complaints]).toEqual([]);
      await page.context().close();
    }
  },
);

import { copyPayments, seedModelPayments } from '@svc-pay/postgres/testing';
import { openListMeter } from '@svc-pay/postgres/testing/listed-payments';
import type { Id } from '@svc-pay/protocol/ids';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createProgress } from '../progress.ts';
import { median } from '../quantile.ts';
import { millionOf } from './config.ts';
import { type ConsolePerson, consoleWorld } from './console-world.ts';
import { scrollRows } from './scroll-rows.ts';

const PAYMENTS = millionOf();
const SCROLLED = 10_000;
const MOST_MOUNTED = 60;
const PAGE_ROWS = 100;
const LONGEST_TASK_MS = 100;
const RUNS = 3;
/** Payments of about a month. */
const SECONDS_A_COPY = 50;
const SEED_MS = 1_800_000;

const world = await consoleWorld();
const { pool } = world.database;
const accountId = world.shop.accountId as Id<'account'>;
let ada: ConsolePerson;

beforeAll(async () => {
  const model = await seedModelPayments(pool, accountId);
  const copies = Math.ceil(PAYMENTS / model.own);
  const progress = createProgress(copies);
  const startMs = performance.now();
  await copyPayments(pool, {
    accountIds: [model.accountId, model.otherId],
    relayer: model.relayer,
    copies,
    secondsApart: SECONDS_A_COPY,
    onDone: (done) => progress.show(done, `copies of ${model.all} payments`),
  });
  progress.end();
  console.log(`${copies * model.all} payments were seeded in ${Math.round((performance.now() - startMs) / 1_000)} s`);
  ada = await world.signUp();
}, SEED_MS);

async function openPayments(page: Page): Promise<void> {
  await page.goto(`${world.consoleUrl}/test/${accountId}/payments`);
  await page.locator('.list-row').first().waitFor();
  await page.waitForLoadState('networkidle');
}

test('ten thousand of a million payments are scrolled with few rows, few requests and short tasks', async () => {
  await ada.page.setViewportSize({ width: 1280, height: 1_400 });
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) {
    await openPayments(ada.page);
    const seen = await scrollRows(ada.page, SCROLLED);
    console.log(`scrolled: ${JSON.stringify(seen)}`);
    expect(seen).toMatchObject({ rows: SCROLLED, trouble: null });
    expect(seen.mostMounted).toBeLessThanOrEqual(MOST_MOUNTED);
    expect(seen.requests).toBeLessThanOrEqual(SCROLLED / PAGE_ROWS);
    runs.push(seen);
  }
  // Other processes of the machine lengthen tasks, and never shorten them.
  expect(Math.min(...runs.map(({ longestCpuMs }) => longestCpuMs))).toBeLessThanOrEqual(LONGEST_TASK_MS);
}, 1_200_000);

/** As the page asks, through the console and the API. Milliseconds of the middle of several. */
async function timed(query: string): Promise<{ readonly rows: number; readonly ms: number }> {
  const { rows, times } = await ada.page.evaluate(
    async ({ path, tries }) => {
      const answers: { rows: number; times: number[] } = { rows: 0, times: [] };
      for (let one = 0; one < tries; one += 1) {
        const startMs = performance.now();
        const response = await fetch(path);
        const { data } = (await response.json()) as { data: unknown[] };
        answers.times.push(performance.now() - startMs);
        answers.rows = data.length;
      }
      return answers;
    },
    { path: `/console/api/accounts/${accountId}/test/sdk/payments?limit=100&expand=intent${query}`, tries: 9 },
  );
  return { rows, ms: Math.round(median(times)) };
}

test('a page of the list takes as long at the end of a million payments as at the start, with every filter', async () => {
  await openPayments(ada.page);
  const { rows } = await pool.query<{ oldest: Date; middle: Date }>(
    `select min(created_at) + interval '1 hour' as oldest, min(created_at) + (max(created_at) - min(created_at)) / 2 as middle
     from svc.payments where account_id = $1`,
    [accountId],
  );
  const [{ oldest, middle } = { oldest: new Date(), middle: new Date() }] = rows;
  const before = (at: Date) => `&createdBefore=${at.toISOString()}`;
  const first = await timed('');
  const found: Record<string, { readonly rows: number; readonly ms: number }> = { first };
  for (const [name, query] of Object.entries({
    middle: before(middle),
    last: before(oldest),
    completed: '&status=completed',
    'completed, last': `&status=completed${before(oldest)}`,
    failed: `&status=failed${before(oldest)}`,
    refunded: `&status=refunded${before(middle)}`,
    mismatched: `&status=mismatched${before(oldest)}`,
    token: `&token=basesepolia_eurc${before(oldest)}`,
    network: `&network=eip155:84532${before(oldest)}`,
    payer: `&payer=0x${'a1'.repeat(20)}${before(oldest)}`,
  }))
    found[name] = await timed(query);
  console.log(`pages of a hundred, median of nine: ${JSON.stringify(found)}`);
  for (const [name, { rows: given, ms }] of Object.entries(found)) {
    expect({ name, given }).toEqual({ name, given: PAGE_ROWS });
    expect({ name, ms, slow: ms > 3 * first.ms + 50 }).toEqual({ name, ms, slow: false });
  }
}, 300_000);

test('every page of the list reads the rows that it gives by an index, and sorts nothing', async () => {
  const meter = await openListMeter(world.database.url);
  const caller = { accountId, mode: 'test', kind: 'secret', keyId: 'key_a' } as never;
  try {
    for (const [name, payments] of Object.entries({
      all: {},
      status: { status: 'failed' as const },
      token: { tokenShortcode: 'basesepolia_eurc' },
      payer: { payer: `0x${'a1'.repeat(20)}` },
      time: { createdBeforeMs: Date.parse('2026-11-10T00:00:00Z') },
    })) {
      const page = await meter.measure({ name, caller, payments, page: { limit: PAGE_ROWS } });
      console.log(`read: ${JSON.stringify(page)}`);
      expect(page.nodes.filter((node) => /Sort|Seq Scan|Bitmap|Hash/.test(node))).toEqual([]);
      expect(page.rowsRead).toBeLessThanOrEqual(4 * PAGE_ROWS);
    }
  } finally {
    await meter.close();
  }
});

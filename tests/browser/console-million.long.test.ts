import { copyPayments, seedModelPayments } from '@svc-pay/postgres/testing';
import { openListMeter } from '@svc-pay/postgres/testing/listed-payments';
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
/** Rows of a filter lie apart from each other, and a page reads at most so many blocks: see `ROW_BLOCKS`. */
const FILTERED_ROWS = 70;
const LONGEST_TASK_MS = 100;
const RUNS = 2;
/** Payments of about a month. */
const SECONDS_A_COPY = 50;
const SEED_MS = 1_800_000;

const world = await consoleWorld();
const { pool } = world.database;
let accountId: string;
let ada: ConsolePerson;

beforeAll(async () => {
  const model = await seedModelPayments(pool);
  accountId = model.accountId;
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
  ada = await world.signUp({ accountId });
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
    // The page behind the last row in sight is read ahead.
    expect(seen.requests).toBeLessThanOrEqual(SCROLLED / PAGE_ROWS + 1);
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
        const body = await response.text();
        if (!response.ok) throw new Error(`${path}: ${response.status} ${body}`);
        const { data } = JSON.parse(body) as { data: unknown[] };
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
    network: `&chain=eip155:84532${before(oldest)}`,
    payer: `&payer=0x${'a1'.repeat(20)}${before(oldest)}`,
  }))
    found[name] = await timed(query);
  console.log(`pages of a hundred, median of nine: ${JSON.stringify(found)}`);
  for (const [name, { rows: given, ms }] of Object.entries(found)) {
    expect({ name, given, few: given < FILTERED_ROWS }).toEqual({ name, given, few: false });
    expect({ name, ms, slow: ms > 3 * first.ms + 50 }).toEqual({ name, ms, slow: false });
  }
  expect(first.rows).toBe(PAGE_ROWS);
}, 300_000);

test('a search of a million payments by intent and by transaction takes no longer than a page', async () => {
  const { rows } = await pool.query<{ intent: string; transaction: string }>(
    `select intent_id as intent, transaction_id as transaction from svc.payments
     where account_id = $1 and transaction_id is not null order by id limit 1 offset 10`,
    [accountId],
  );
  const [{ intent, transaction } = { intent: '', transaction: '' }] = rows;
  const first = await timed('');
  const found = {
    intent: await timed(`&intentId=${intent}`),
    transaction: await timed(`&transactionId=${transaction}`),
  };
  console.log(`searched, median of nine: ${JSON.stringify(found)}`);
  expect(found.intent.rows).toBe(1);
  expect(found.transaction.rows).toBeGreaterThan(0);
  expect(Math.max(found.intent.ms, found.transaction.ms)).toBeLessThanOrEqual(first.ms + 50);
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

type Sums = Readonly<Record<string, string | null>>;

test('the overview of a million payments equals what is booked, to the unit', async () => {
  const startMs = performance.now();
  const folded = async () =>
    BigInt((await pool.query('select folded from svc.overview_cursors where shown')).rows[0].folded);
  const { rows: written } = await pool.query(
    `select (select count(*) from svc.ledger_bookings) + (select count(*) from svc.payment_changes) as all`,
  );
  const all = BigInt(written[0].all);
  const before = await folded();
  // The console process folds by itself, since the first copy was there.
  await expect.poll(folded, { timeout: 1_200_000, interval: 1_000 }).toBe(all);
  const seconds = (performance.now() - startMs) / 1_000;
  console.log(`${all} rows are folded; the last ${all - before} of them in ${Math.round(seconds)} s`);
  const { rows: counted } = await pool.query<Sums>(
    `select asset, sum(settled)::text as settled, sum(failed)::text as failed, sum(mismatched)::text as mismatched,
       sum(volume_amount)::text as volume, sum(refunded_amount)::text as refunded, sum(gas_amount)::text as gas
     from svc.overview_buckets where account_id = $1 group by asset order by asset`,
    [accountId],
  );
  const { rows: booked } = await pool.query<Sums>(
    `with entry as (
       select p.asset, e.payment_id, e.account_name, e.party, e.asset as of, e.amount from svc.ledger_entries e
       join svc.payments p on p.account_id = e.account_id and p.mode = e.mode and p.id = e.payment_id
       where e.account_id = $1
     ), state as (
       select asset, count(*) filter (where status = 'failed') as failed,
         count(*) filter (where status = 'mismatched') as mismatched
       from svc.payments where account_id = $1 group by asset
     ), sums as (
       select asset, count(distinct payment_id) as settled,
         sum(amount) filter (where account_name in ('merchant', 'split', 'platform_fee', 'escrow') and amount > 0) as volume,
         -coalesce(sum(amount) filter (where account_name = 'merchant' and amount < 0), 0) as refunded,
         sum(amount) filter (where of = 'native' and party = 'network') as gas
       from entry group by asset
     )
     select asset, settled::text, failed::text, mismatched::text, volume::text, refunded::text, gas::text
     from sums join state using (asset) order by asset`,
    [accountId],
  );
  console.log(`booked: ${JSON.stringify(booked)}`);
  expect(counted).toEqual(booked);
}, 1_500_000);

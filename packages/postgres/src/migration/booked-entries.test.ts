import { reverseEntries } from '@svc-pay/core';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { loadLiveEntries } from '../ledger/live-entries.ts';
import { writeEntries } from '../payment/write-payment-results.ts';
import { type BookedRows, bookSettled } from '../testing/book-settled.ts';
import { createTestDatabase } from '../testing/index.ts';
import { migrationsUpTo } from '../testing/migrations-up-to.ts';
import { migrate } from './migrate.ts';

const SLOW_MS = 60_000;
const BEFORE = '0045';
const MONTH_MS = 31 * 86_400_000;
const wish = { accountId: 'acct_a', capAtomic: 1_000n, settledAtomic: 777n, gasShareAtomic: 5n };

async function released() {
  const { url, pool } = await createTestDatabase({ from: 'empty' });
  await migrate(url, { directory: await migrationsUpTo(BEFORE) });
  const paid = [
    await bookSettled(pool, { ...wish, nowMs: Date.now() - MONTH_MS }),
    await bookSettled(pool, { ...wish, nowMs: Date.now() }),
  ] as const;
  return { url, pool, paid };
}

/** A connection of a process that was started before the upgrade. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('set plan_cache_mode = force_generic_plan');
  return client;
}

const entriesOf = async (pool: pg.Pool) =>
  (await pool.query('select * from svc.ledger_entries order by id')).rows as readonly unknown[];

const liveOf = (client: pg.Client, { paymentId, entries: [first] }: BookedRows) =>
  loadLiveEntries(
    client,
    [{ accountId: first?.accountId, mode: 'test', paymentId } as never],
    first?.transactionId ?? '',
  );

test('an upgrade leaves every entry as it was, and rewrites none', { timeout: SLOW_MS }, async () => {
  const { url, pool } = await released();
  await pool.query("update svc.partitioned_tables set months_kept = 24 where table_name = 'ledger_bookings'");
  const before = await entriesOf(pool);
  const places = async (table: string) =>
    (await pool.query(`select id, ctid::text, xmin::text from svc.${table} order by id`)).rows as readonly unknown[];
  const [rows, bookings] = [await places('ledger_entries'), await places('ledger_bookings')];
  expect(await migrate(url)).toMatchObject({ ok: true });
  expect(before.length).toBeGreaterThan(6);
  expect(await entriesOf(pool)).toEqual(before);
  expect(await places('ledger_entry_rows')).toEqual(rows);
  expect(await places('ledger_bookings')).toEqual(bookings);
  // Bookings carry the ledger from now on: they are kept for as long as entries were.
  const kept = await pool.query(
    `select table_name, months_kept from svc.partitioned_tables where table_name like 'ledger%' order by 1`,
  );
  expect(kept.rows).toEqual([
    { table_name: 'ledger_bookings', months_kept: 120 },
    { table_name: 'ledger_entry_rows', months_kept: 120 },
  ]);
});

test('a process of the release before goes on: it reads what the new one books, reverses it, and books itself', {
  timeout: SLOW_MS,
}, async () => {
  const { url, pool, paid } = await released();
  const old = await connect(url);
  // Its named statements are planned before the upgrade.
  expect((await liveOf(old, paid[1])).get(paid[1].paymentId)).toHaveLength(6);
  await writeEntries(old, reverseEntries(paid[1].entries, { nowMs: Date.now() }));
  await migrate(url);

  const fresh = await bookSettled(pool, { ...wish, nowMs: Date.now() });
  for (const booked of [paid[0], fresh]) {
    const live = (await liveOf(old, booked)).get(booked.paymentId) ?? [];
    expect(live).toEqual(booked.entries.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    await writeEntries(old, reverseEntries(live, { nowMs: Date.now() }));
    expect((await liveOf(old, booked)).size).toBe(0);
  }
  expect((await liveOf(old, paid[1])).size).toBe(0);
  const sums = await pool.query(
    'select from svc.ledger_entries group by payment_id, party, asset having sum(amount) <> 0',
  );
  expect(sums.rowCount).toBe(0);
  // Nothing is written to the old rows any more, and each statement of a payment is one booking.
  const { rows } = await pool.query(
    `select amounts is not null as carries, count(*)::integer, sum(cardinality(entry_ids))::integer as entries
       from svc.ledger_bookings group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { carries: false, count: 3, entries: 18 },
    { carries: true, count: 3, entries: 18 },
  ]);
  expect((await pool.query('select from svc.ledger_entry_rows')).rowCount).toBe(18);
});

test('a transaction that booked before the upgrade holds it back, and one that waits for it books after it', {
  timeout: SLOW_MS,
}, async () => {
  const { url, pool } = await released();
  const early = await connect(url);
  await early.query('begin');
  const first = await bookSettled(early, { ...wish, nowMs: Date.now() });
  const upgrade = migrate(url);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const late = await bookSettled(early, { ...wish, nowMs: Date.now() });
  await early.query('commit');
  expect(await upgrade).toMatchObject({ ok: true });
  const { rows } = await pool.query<{ payment_id: string; entries: number }>(
    'select payment_id, count(*)::integer as entries from svc.ledger_entries where payment_id = any ($1) group by 1',
    [[first.paymentId, late.paymentId]],
  );
  expect(rows.map(({ entries }) => entries)).toEqual([6, 6]);
});

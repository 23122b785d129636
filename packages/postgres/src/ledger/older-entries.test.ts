// The same books in three forms: entries in bookings, entries as rows of their own, and some of each, as after an upgrade.
import { checkBooks, createFindings } from '@svc-pay/core';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createExportStore } from '../export/export-store.ts';
import { rebuildOverview } from '../overview/rebuild-overview.ts';
import { findPayerRows } from '../privacy/find-payer-rows.ts';
import { copyTestDatabase, createTestDatabase, seedModelPayments, type TestDatabase } from '../testing/index.ts';
import { makeOlder } from '../testing/make-older.ts';
import { figuresOf, foldAll, giveBack, payAgain, payBooked, takeBack } from '../testing/overview-books.ts';
import { withBooks } from './open-books.ts';
import { readCosts } from './read-costs.ts';

const SLOW_MS = 120_000;
const DAY_MS = 86_400_000;
const DAY = Date.parse('2026-11-16T00:00:00Z');
const MODE = 'test';

async function world() {
  const carried = await createTestDatabase();
  const { pool } = carried;
  const models = await seedModelPayments(pool);
  const owner = { accountId: models.accountId, mode: MODE } as const;
  const wish = { ...owner, gasShareAtomic: 9n, gasValue: 4n, rateAtto: 3n };
  const paid = [];
  for (let hour = 0; hour < 6; hour += 1) paid.push(await payBooked(pool, { ...wish, nowMs: DAY + hour * 3_600_000 }));
  const [first, second, third] = paid;
  if (first === undefined || second === undefined || third === undefined) throw new Error('nothing was booked');
  await takeBack(pool, first, DAY + 7 * 3_600_000);
  const again = await payAgain(pool, first, { nowMs: DAY + 8 * 3_600_000, gasValue: 6n });
  await giveBack(pool, second, 7n, DAY + 9 * 3_600_000);
  const { rows } = await pool.query<{ id: string }>('select id from svc.payments order by md5(id)');
  const half = rows.map(({ id }) => id).filter((_, index) => index % 2 === 0);
  const mixed = await copyTestDatabase(carried);
  await makeOlder(mixed.pool, half);
  const older = await copyTestDatabase(carried);
  await makeOlder(older.pool);
  return { forms: { carried, mixed, older }, owner, again, third };
}

type Owner = Awaited<ReturnType<typeof world>>['owner'];

async function bookingsOf(database: TestDatabase, owner: Owner) {
  const store = createExportStore(database);
  expect(await store.allCommitted(20_000)).toBe(true);
  const page = await store.readBookings({
    ...owner,
    after: { position: -1n, bookingId: '' },
    watermark: undefined,
    maxBookings: 1_000,
    maxEntries: 10_000,
    withMetadata: true,
  });
  if (!page.ok) throw new Error(page.reason);
  return page.bookings;
}

async function sumsOf(database: TestDatabase, owner: Owner) {
  const store = createExportStore(database);
  const day = { ...owner, fromMs: DAY, toMs: DAY + DAY_MS, afterId: '' };
  const whole = await store.sumDay(day);
  // Begun with the release before, behind an entry in the middle of a booking.
  const { rows } = await database.pool.query<{ id: string }>(
    "select id from svc.ledger_entries where account_id = $1 and id > 'lg_01' order by id offset 12 limit 1",
    [owner.accountId],
  );
  return { whole, rest: await store.sumDay({ ...day, afterId: rows[0]?.id ?? '' }) };
}

async function findingsOf(pool: pg.Pool) {
  const findings = createFindings(null, ['entries', 'statuses', 'overview'], 1_000);
  await withBooks(pool, (books) => checkBooks(books, findings));
  return findings.lines().map(({ check, looked, differences }) => ({ check, looked, differences }));
}

async function figuresBuiltAnew(pool: pg.Pool) {
  await foldAll(pool);
  const folded = await figuresOf(pool);
  await rebuildOverview(pool);
  expect(await figuresOf(pool)).toEqual(folded);
  return folded;
}

test('books say the same in bookings, in rows, and in some of both', { timeout: SLOW_MS }, async () => {
  const { forms, owner, again, third } = await world();
  const told = async (database: TestDatabase) => ({
    entries: (await database.pool.query('select * from svc.ledger_entries order by id')).rows,
    bookings: await bookingsOf(database, owner),
    sums: await sumsOf(database, owner),
    findings: await findingsOf(database.pool),
    costs: await readCosts(database.pool, { fromMs: DAY - 30 * DAY_MS, toMs: DAY + DAY_MS }, null),
    payer: (await findPayerRows(database.pool, again.entries[0]?.party ?? '')).ledger_entries.toSorted((a, b) =>
      String(a['id']) < String(b['id']) ? -1 : 1,
    ),
    figures: await figuresBuiltAnew(database.pool),
  });
  const carried = await told(forms.carried);
  expect(carried.entries.length).toBeGreaterThan(100);
  expect(carried.bookings.length).toBeGreaterThan(20);
  expect(carried.payer.length).toBeGreaterThan(5);
  const rowsOf = async ({ pool }: TestDatabase) =>
    Number((await pool.query('select count(*) from svc.ledger_entry_rows')).rows[0].count);
  const counts = [await rowsOf(forms.carried), await rowsOf(forms.mixed), await rowsOf(forms.older)];
  expect(counts[0]).toBe(0);
  expect(counts[1]).toBeGreaterThan(40);
  expect(counts[1]).toBeLessThan(counts[2] ?? 0);
  expect(counts[2]).toBe(carried.entries.length);
  expect(await told(forms.mixed)).toEqual(carried);
  expect(await told(forms.older)).toEqual(carried);

  // What comes later takes back, and gives back, what was booked in another form.
  const later = async ({ pool }: TestDatabase) => {
    await takeBack(pool, again, DAY + 10 * 3_600_000);
    await takeBack(pool, third, DAY + 11 * 3_600_000);
    await payAgain(pool, third, { nowMs: DAY + 12 * 3_600_000, gasValue: 8n });
    await payBooked(pool, { ...owner, nowMs: DAY + 13 * 3_600_000 });
    return figuresBuiltAnew(pool);
  };
  const expected = await later(forms.carried);
  expect(expected).not.toEqual(carried.figures);
  expect(await later(forms.mixed)).toEqual(expected);
  expect(await later(forms.older)).toEqual(expected);
});

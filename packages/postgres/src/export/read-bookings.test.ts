import {
  type ExportCursor,
  type ExportedBooking,
  type ExportStore,
  LEDGER_START,
  ledgerRows,
  paymentRows,
  readExportPage,
} from '@svc-pay/core';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { migrate } from '../migration/migrate.ts';
import { erasePayer } from '../privacy/erase-payer.ts';
import { type BookedWish, bookReversal, bookSettled } from '../testing/book-settled.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { makeOlder } from '../testing/make-older.ts';
import { newOperation } from '../testing/new-operation.ts';
import { NOW } from '../testing/sample-rows.ts';
import { createExportStore } from './export-store.ts';

const AT = NOW.getTime();
const WAIT_MS = 20_000;
const OWNER = { accountId: 'acct_a', mode: 'test' } as const;

async function world() {
  const database = await createTestDatabase();
  const store = createExportStore(database);
  const book = (wish: Partial<BookedWish> = {}, client: pg.Pool | pg.ClientBase = database.pool) =>
    bookSettled(client, { accountId: OWNER.accountId, nowMs: AT, ...wish });
  return { ...database, store, book };
}

/** Other tests write in the same server: what they have begun is over before a page is read. */
async function read(
  store: ExportStore,
  cursor?: ExportCursor,
  limit = 5_000,
  owner: { accountId: string; mode: 'test' | 'live' } = OWNER,
) {
  if (cursor?.watermark === undefined) expect(await store.allCommitted(WAIT_MS)).toBe(true);
  return readNow(store, cursor, limit, owner);
}

async function readNow(
  store: ExportStore,
  cursor?: ExportCursor,
  limit = 5_000,
  owner: { accountId: string; mode: 'test' | 'live' } = OWNER,
) {
  const page = await readExportPage(store, { ...owner, kind: 'ledger', cursor, limit });
  if (!page.ok) throw new Error(page.reason);
  return page;
}

async function readAll(store: ExportStore, limit: number): Promise<readonly ExportedBooking[]> {
  const all: ExportedBooking[] = [];
  for (let cursor: ExportCursor | undefined; ; ) {
    const page = await read(store, cursor, limit);
    all.push(...page.bookings);
    if (!page.hasMore) return all;
    cursor = page.next;
  }
}

const paymentsOf = (bookings: readonly ExportedBooking[]) => bookings.map(({ payment }) => payment.id);

test('a booking that commits late is neither skipped nor given twice', async () => {
  const { pool, store, book } = await world();
  const slow = await pool.connect();
  await slow.query('begin');
  const late = await book({}, slow);
  const early = await book();
  const first = await readNow(store);
  expect(paymentsOf(first.bookings)).not.toContain(early.paymentId);
  await slow.query('commit');
  slow.release();
  const second = await read(store, first.next);
  expect(paymentsOf([...first.bookings, ...second.bookings])).toEqual([late.paymentId, early.paymentId]);
  expect((await read(store, second.next)).bookings).toEqual([]);
});

test('beside writers that commit in any order every booking is given once', async () => {
  const { pool, store, book } = await world();
  const made: string[] = [];
  let writing = 4;
  const writer = async (seed: number) => {
    const client = await pool.connect();
    for (let turn = 0; turn < 12; turn += 1) {
      await client.query('begin');
      made.push((await book({}, client)).paymentId);
      await client.query('select pg_sleep($1)', [((seed * 7 + turn * 13) % 10) / 200]);
      await client.query('commit');
    }
    client.release();
    writing -= 1;
  };
  const given: string[] = [];
  const reader = async () => {
    let cursor: ExportCursor | undefined;
    for (let last = false; !last; ) {
      // An export that was begun ends at its own watermark: the last one begins when nobody writes any more.
      last = writing === 0 && cursor?.watermark === undefined;
      const page = last ? await read(store, cursor) : await readNow(store, cursor, 14);
      given.push(...paymentsOf(page.bookings));
      cursor = page.next;
      if (last && page.hasMore) last = false;
    }
  };
  await Promise.all([writer(1), writer(2), writer(3), writer(4), reader()]);
  expect(given.toSorted()).toEqual(made.toSorted());
});

test('an export ends at its watermark, and the next one begins there', async () => {
  const { store, book } = await world();
  for (let index = 0; index < 5; index += 1) await book();
  const first = await read(store, undefined, 10);
  expect(first.hasMore).toBe(true);
  const after = await book();
  const rest = await read(store, first.next);
  expect(rest.watermark).toBe(first.watermark);
  expect(paymentsOf(rest.bookings)).not.toContain(after.paymentId);
  expect(paymentsOf((await read(store, rest.next)).bookings)).toEqual([after.paymentId]);
});

test('a transaction id that is handed out again after a crash is not skipped', async () => {
  const { pool, store, book } = await world();
  await book();
  const { next, watermark } = await read(store);
  const reused = await book();
  // The last id below the watermark: it was rolled back, and nothing of it was on disk.
  await pool.query('update svc.ledger_bookings set position = $1 where payment_id = $2', [
    (watermark - 1n).toString(),
    reused.paymentId,
  ]);
  await pool.query('update svc.ledger_bookings set position = 1 where payment_id <> $1', [reused.paymentId]);
  expect(next.after.position < watermark).toBe(true);
  const again = await read(store, { ...next, after: { ...next.after, position: 1n } });
  expect(paymentsOf(again.bookings)).toEqual([reused.paymentId]);
  expect((await read(store, again.next)).next).toEqual(again.next);
});

test('bookings whose entries are no longer kept are passed over; one that lacks a part of them is not', async () => {
  const { pool, store, book } = await world();
  const years = 11 * 366 * 86_400_000;
  const [gone, kept] = [await book({ nowMs: AT - years }), await book()];
  await makeOlder(pool);
  await pool.query('delete from svc.ledger_entry_rows where payment_id = $1', [gone.paymentId]);
  const first = await read(store, undefined, 1);
  expect(first).toMatchObject({ bookings: [], hasMore: true });
  expect(paymentsOf((await read(store, first.next)).bookings)).toEqual([kept.paymentId]);
  const [entry] = kept.entries;
  await pool.query('delete from svc.ledger_entry_rows where id = $1', [entry?.id]);
  await expect(read(store)).rejects.toThrow(/has 2 of its 3 entries/);
  await pool.query('delete from svc.ledger_entry_rows where payment_id = $1', [kept.paymentId]);
  await expect(read(store)).rejects.toThrow(/has 0 of its 3 entries/);
});

test('a page of payments ends after two megabytes of metadata; the ledger reads none', async () => {
  const { store, book } = await world();
  const metadata = JSON.stringify({ note: 'x'.repeat(16_000) });
  const made: string[] = [];
  for (let index = 0; index < 140; index += 1) made.push((await book({ metadata })).paymentId);
  expect(await store.allCommitted(WAIT_MS)).toBe(true);
  const ask = { ...OWNER, kind: 'payments', limit: 5_000 } as const;
  const first = await readExportPage(store, { ...ask, cursor: undefined });
  if (!first.ok) throw new Error(first.reason);
  expect(first.hasMore).toBe(true);
  expect(first.bookings.length).toBe(Math.floor(2_097_152 / metadata.length));
  const second = await readExportPage(store, { ...ask, cursor: first.next });
  if (!second.ok) throw new Error(second.reason);
  expect(second.hasMore).toBe(false);
  expect(paymentsOf([...first.bookings, ...second.bookings])).toEqual(made);
  expect([...first.bookings, ...second.bookings].every((booking) => booking.metadata === metadata)).toBe(true);
  const entries = await read(store);
  expect(entries.bookings.length).toBe(140);
  expect(entries.bookings.every((booking) => booking.metadata === null)).toBe(true);
});

test('a watermark beyond what is committed is not believed', async () => {
  const { pool, store, book } = await world();
  const slow = await pool.connect();
  await slow.query('begin');
  await book({}, slow);
  await book();
  const page = await store.readBookings({
    ...OWNER,
    after: LEDGER_START,
    watermark: 1n << 60n,
    maxBookings: 10,
    maxEntries: 100,
    withMetadata: false,
  });
  await slow.query('rollback');
  slow.release();
  expect(page).toMatchObject({ ok: true, bookings: [] });
});

test('positions are ordered as numbers', async () => {
  const { pool, store, book } = await world();
  const [one, two] = [await book(), await book()];
  await pool.query('update svc.ledger_bookings set position = case payment_id when $1 then 9 else 10 end', [
    one.paymentId,
  ]);
  expect(paymentsOf((await read(store, undefined, 4)).bookings)).toEqual([one.paymentId]);
  expect(paymentsOf(await readAll(store, 4))).toEqual([one.paymentId, two.paymentId]);
});

test('pages of any size give the same rows, and a page never has more than was asked for', async () => {
  const { store, book } = await world();
  for (let index = 0; index < 9; index += 1) await book({ splits: [{ to: `0x${'9a'.repeat(20)}`, bps: 500 }] });
  const whole = (await readAll(store, 5_000)).flatMap((booking) => ledgerRows(booking));
  expect(whole.length).toBe(36);
  for (const limit of [4, 7, 101]) {
    const parts = await readAll(store, limit);
    expect(parts.flatMap((booking) => ledgerRows(booking))).toEqual(whole);
  }
  expect((await read(store, undefined, 7)).bookings.length).toBe(1);
});

test('another account and the other mode have nothing of it', async () => {
  const { store, book } = await world();
  await book();
  expect((await read(store, undefined, 10, { accountId: 'acct_b', mode: 'test' })).bookings).toEqual([]);
  expect((await read(store, undefined, 10, { accountId: OWNER.accountId, mode: 'live' })).bookings).toEqual([]);
});

test('one page of an account at a time; other accounts do not wait', async () => {
  const { pool, store } = await world();
  const other = await pool.connect();
  await other.query('begin');
  await other.query("select pg_advisory_xact_lock(hashtextextended('svc.export/acct_a/test', 0))");
  await expect(readNow(store)).rejects.toThrow('busy');
  expect(await store.sumDay({ ...OWNER, fromMs: 0, toMs: AT, afterId: '' })).toEqual({ ok: false, reason: 'busy' });
  expect((await readNow(store, undefined, 10, { accountId: 'acct_b', mode: 'test' })).bookings).toEqual([]);
  await other.query('rollback');
  other.release();
});

test('a reversal is a row of its own, and the two sum to nothing', async () => {
  const { pool, store, book } = await world();
  await bookReversal(pool, await book({ capAtomic: 1_000n, settledAtomic: 777n, gasShareAtomic: 21_000n }), AT + 5);
  const rows = (await readAll(store, 100)).flatMap((booking) => paymentRows(booking));
  expect(rows.map(({ reversal, gross, refund, net, gas }) => [reversal, gross, refund, net, gas])).toEqual([
    [false, '0.001', '0.000223', '0.00077', '0.000000000000021'],
    [true, '-0.001', '-0.000223', '-0.00077', '-0.000000000000021'],
  ]);
});

test('a payer that was erased from a payment is in no row of its export', async () => {
  const { pool, store, book } = await world();
  const booked = await book({ capAtomic: 1_000n, settledAtomic: 777n });
  const { party } = booked.entries[0]!;
  await bookReversal(pool, booked, AT + 5);
  await pool.query("update svc.payments set status = 'failed', failure_code = 'expired', completed_at = null");
  const seen = async () =>
    JSON.stringify((await readAll(store, 100)).flatMap((b) => [...ledgerRows(b), ...paymentRows(b)]));
  expect(await seen()).toContain(party);
  await erasePayer(newOperation(pool), party, 'payer:1');
  expect(await seen()).not.toContain(party);
  expect(await seen()).toContain('"party":"erased"');
});

test('in another cluster exports wait for migrate; then old cursors go on and miss nothing', async () => {
  const { pool, url, store, book } = await world();
  await book();
  const before = await read(store);
  await pool.query("update svc.ledger_order set system_identifier = 'of the cluster before'");
  await expect(readNow(store, before.next)).rejects.toThrow('restarted');
  await migrate(url);
  const after = await book();
  expect(paymentsOf((await read(store, before.next)).bookings)).toEqual([after.paymentId]);
});

test('two restores of one backup: the second begins above all that the first handed out', async () => {
  const { pool, store, book } = await world();
  const restored = async () => {
    await pool.query('update svc.ledger_order set position_offset = 0');
    await pool.query('select svc.restart_ledger_order(true)');
    const { rows } = await pool.query<{ offset: string }>(
      'select position_offset::text as offset from svc.ledger_order',
    );
    return { ...(await book()), offset: BigInt(rows[0]?.offset ?? 0) };
  };
  const first = await restored();
  const before = await read(store);
  const after = await restored();
  expect(paymentsOf((await read(store, before.next)).bookings)).toEqual([after.paymentId]);
  // A million transactions between the two restores are passed, although the second begins with the ids of the first.
  expect(after.offset - first.offset).toBeGreaterThan(1_000_000n);
});

test('entries from before bookings were written come first, each once', async () => {
  const { pool, store, book } = await world();
  const old = await book();
  await bookReversal(pool, old, AT + 5);
  await makeOlder(pool);
  await pool.query('update svc.ledger_bookings set position = 0');
  const fresh = await book();
  const bookings = await readAll(store, 100);
  expect(bookings.map(({ position }) => position === 0n)).toEqual([true, true, false]);
  expect(paymentsOf(bookings)).toEqual([old.paymentId, old.paymentId, fresh.paymentId]);
});

test('a page says how long its statements took, without the wait for a connection', async () => {
  const { pool, store, book } = await world();
  await book();
  const waitMs = 400;
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  setTimeout(() => {
    for (const client of taken) client.release();
  }, waitMs);
  const beganMs = performance.now();
  const { readMs } = await readNow(store);
  const wholeMs = performance.now() - beganMs;
  expect(readMs).toBeGreaterThan(0);
  expect(readMs).toBeLessThan(wholeMs - waitMs / 2);
});

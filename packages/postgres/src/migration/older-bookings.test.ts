import { expect, test } from 'vitest';
import { bookReversal, bookSettled } from '../testing/book-settled.ts';
import { createTestDatabase } from '../testing/index.ts';
import { migrationsUpTo } from '../testing/migrations-up-to.ts';
import { migrate } from './migrate.ts';

const SLOW_MS = 60_000;
const MONTH_MS = 31 * 86_400_000;

test('a ledger gets its bookings month by month, beside a transaction that books', { timeout: SLOW_MS }, async () => {
  const { url, pool } = await createTestDatabase({ from: 'empty' });
  await migrate(url, { directory: await migrationsUpTo('0022') });
  await pool.query('select svc.ensure_partitions(5, 3)');
  const months = async (table: string) => {
    const found = await pool.query<{ name: string }>(
      'select relname as name from pg_inherits join pg_class on oid = inhrelid where inhparent = $1::regclass',
      [`svc.${table}`],
    );
    return found.rows.map(({ name }) => name.slice(table.length)).toSorted();
  };
  // Retention has dropped a month of another table.
  const [oldest = ''] = await months('attempts');
  await pool.query(`drop table svc.attempts${oldest}`);
  const attempts = await months('attempts');
  const wish = { accountId: 'acct_a', capAtomic: 1_000n, settledAtomic: 777n };
  const old = await bookSettled(pool, { ...wish, nowMs: Date.now() - 4 * MONTH_MS });
  await bookReversal(pool, old, Date.now() - 3 * MONTH_MS);

  await migrate(url, { directory: await migrationsUpTo('0025') });
  expect(await months('ledger_bookings')).toEqual(await months('ledger_entries'));
  const fresh = await bookSettled(pool, { ...wish, nowMs: Date.now() });
  const writer = await pool.connect();
  await writer.query('begin');
  await bookSettled(writer, { ...wish, nowMs: Date.now() });
  const last = await migrate(url, { directory: await migrationsUpTo('0026') });
  expect(last).toEqual({ ok: true, applied: ['0026_older_bookings'], partitions: [] });
  await writer.query('commit');
  writer.release();

  expect(await months('attempts')).toEqual(attempts);
  const { rows } = await pool.query<{ payment_id: string; is_old: boolean; by: string }>(
    `select payment_id, position = 0 as is_old, xmin::text as by from svc.ledger_bookings order by id`,
  );
  expect(rows.map(({ payment_id, is_old }) => [payment_id, is_old]).slice(0, 3)).toEqual([
    [old.paymentId, true],
    [old.paymentId, true],
    [fresh.paymentId, false],
  ]);
  expect(rows.length).toBe(4);
  // A commit for each month.
  expect(rows[0]?.by).not.toBe(rows[1]?.by);
  expect((await pool.query('select from svc.ledger_bookings_default')).rowCount).toBe(0);
});

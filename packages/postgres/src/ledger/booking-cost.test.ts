import { bookPayment, type LedgerEntry } from '@svc-pay/core';
import { settledPayment } from '@svc-pay/core/testing';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { writeEntries } from '../payment/write-payment-results.ts';
import { createTestDatabase } from '../testing/index.ts';

const PAYMENTS = 100;
const INDEXES = 4;

function entriesOfBatch(): readonly LedgerEntry[] {
  const nowMs = Date.now();
  return Array.from({ length: PAYMENTS }, () => {
    const settled = settledPayment({
      capAtomic: 1_000_000n,
      settledAtomic: 777_777n,
      gasShareAtomic: 123_456n,
      splits: [{ to: `0x${'ab'.repeat(20)}`, bps: 1_000 }],
    });
    const paymentId = newId('payment', nowMs);
    const item = { ...settled.item, paymentId };
    return bookPayment({ ...settled, item, mined: { ...settled.mined, paymentId } }, { nowMs }).entries;
  }).flat();
}

type Written = { readonly 'WAL Records': number; readonly 'WAL Bytes': number };

test('a payment with seven entries writes one row and four index entries', async () => {
  const { pool } = await createTestDatabase();
  const entries = entriesOfBatch();
  expect(entries.length).toBe(7 * PAYMENTS);
  let plan: Written | undefined;
  const explaining = {
    query: async ({ text, values }: { readonly text: string; readonly values: unknown[] }) => {
      const { rows } = await pool.query(`explain (analyze, wal, format json) ${text}`, values);
      plan = rows[0]['QUERY PLAN'][0].Plan as Written;
    },
  };
  await writeEntries(explaining as unknown as pg.ClientBase, entries);
  const { rows } = await pool.query(
    `select (select count(*)::integer from svc.ledger_bookings) as bookings,
       (select count(*)::integer from svc.ledger_entry_rows) as rows,
       (select count(*)::integer from svc.ledger_entries) as entries,
       (select count(*)::integer from pg_index where indrelid = 'svc.ledger_bookings'::regclass) as indexes`,
  );
  expect(rows).toEqual([{ bookings: PAYMENTS, rows: 0, entries: 7 * PAYMENTS, indexes: INDEXES }]);
  // A record for each, and some for pages that are split.
  const records = (plan?.['WAL Records'] ?? 0) / PAYMENTS;
  expect(records).toBeGreaterThanOrEqual(1 + INDEXES);
  expect(records).toBeLessThan(1 + INDEXES + 1);
  console.log(`a payment: ${records} records, ${Math.round((plan?.['WAL Bytes'] ?? 0) / PAYMENTS)} bytes`);
});

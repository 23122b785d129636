import {
  type DaySum,
  type ExportedBooking,
  type ExportStore,
  paymentRows,
  readExportPage,
  statementLines,
} from '@svc-pay/core';
import { readSigned } from '@svc-pay/money';
import type { ExportedPayment } from '@svc-pay/protocol/merchant';
import * as fc from 'fast-check';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { bookReversal, bookSettled } from '../testing/book-settled.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createExportStore } from './export-store.ts';

const DAY_MS = 86_400_000;
const DAY = Date.parse('2026-11-14T00:00:00Z');
const OWNER = { accountId: 'acct_a', mode: 'test' } as const;
const AMOUNTS = { gross: -1n, fee: 1n, splits: 1n, refund: 1n, escrow: 1n, net: 1n } as const;
const ACCOUNTS = {
  gross: ['payer', 'stranded'],
  fee: ['platform_fee'],
  splits: ['split'],
  refund: ['refund'],
  escrow: ['escrow'],
  net: ['merchant'],
} as const;
type Column = keyof typeof AMOUNTS;
const COLUMNS = Object.keys(AMOUNTS) as Column[];

const somePayment = fc.record({
  amounts: fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 24n }), fc.bigInt({ min: 1n, max: 10n ** 24n })),
  feeBps: fc.integer({ min: 0, max: 1_000 }),
  splitBps: fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 4 }),
  gasShareAtomic: fc.bigInt({ min: 0n, max: 10n ** 18n }),
  escrowed: fc.subarray(['merchant', 'fee', 'payer', 'split']),
  reversed: fc.boolean(),
  day: fc.integer({ min: -1, max: 1 }),
});

async function sumOfDay(store: ExportStore, fromMs: number): Promise<readonly DaySum[]> {
  const sums: DaySum[] = [];
  for (let afterId = ''; ; ) {
    const part = await store.sumDay({ ...OWNER, fromMs, toMs: fromMs + DAY_MS, afterId });
    if (!part.ok) throw new Error(part.reason);
    sums.push(...part.sums);
    if (!part.hasMore || part.lastId === undefined) return sums;
    afterId = part.lastId;
  }
}

/** The ledger's own sums: the amounts of each column, and gas. */
async function ledgerSums(pool: pg.Pool, where = 'true'): Promise<Record<Column | 'gas', bigint>> {
  const { rows } = await pool.query<{ account: string; sum: string }>(
    `select case when asset = 'native' then case when party = 'network' then 'gas' else 'relayer' end else account_name end as account,
       sum(amount)::text as sum from svc.ledger_entries where ${where} group by 1`,
  );
  const sumOf = (...accounts: readonly string[]) =>
    rows.reduce((sum, row) => (accounts.includes(row.account) ? sum + BigInt(row.sum) : sum), 0n);
  const columns = COLUMNS.map((column) => [column, sumOf(...ACCOUNTS[column]) * AMOUNTS[column]]);
  return { ...Object.fromEntries(columns), gas: sumOf('gas') } as Record<Column | 'gas', bigint>;
}

const added = (rows: readonly Readonly<Record<Column | 'gas', string>>[]) =>
  Object.fromEntries(
    [...COLUMNS, 'gas' as const].map((column) => [
      column,
      rows.reduce((sum, row) => sum + readSigned(row[column], column === 'gas' ? 18 : 6), 0n),
    ]),
  );

async function exportedRows(store: ExportStore): Promise<readonly ExportedPayment[]> {
  expect(await store.allCommitted(20_000)).toBe(true);
  const all: ExportedBooking[] = [];
  for (let cursor: Parameters<typeof readExportPage>[1]['cursor']; ; ) {
    const page = await readExportPage(store, { ...OWNER, kind: 'payments', cursor, limit: 7 });
    if (!page.ok) throw new Error(page.reason);
    all.push(...page.bookings);
    if (!page.hasMore) return all.flatMap((booking) => paymentRows(booking));
    cursor = page.next;
  }
}

test('exported payments and daily statements sum to the ledger, to the unit', async () => {
  const database = await createTestDatabase();
  const { pool } = database;
  const store = createExportStore(database);
  for (const { amounts, splitBps, reversed, day, ...terms } of fc.sample(somePayment, 60)) {
    const [cap, settled] = amounts[0] > amounts[1] ? amounts : [amounts[1], amounts[0]];
    const nowMs = DAY + day * DAY_MS + 23 * 3_600_000;
    const booked = await bookSettled(pool, {
      ...terms,
      ...OWNER,
      nowMs,
      capAtomic: cap,
      settledAtomic: settled,
      splits: splitBps.map((bps, index) => ({ to: `0x${String(10 + index).repeat(20)}`, bps })),
    });
    // Some are reversed on the day after.
    if (reversed) await bookReversal(pool, booked, nowMs + 2 * 3_600_000);
  }
  const rows = await exportedRows(store);
  expect(added(rows)).toEqual(await ledgerSums(pool));
  for (const row of rows) {
    const { gross, gas: _, ...parts } = added([row]) as Record<Column | 'gas', bigint>;
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0n)).toBe(gross);
  }
  for (const day of [-1, 0, 1, 2]) {
    const fromMs = DAY + day * DAY_MS;
    const [line, ...others] = statementLines(await sumOfDay(store, fromMs));
    const at = `created_at >= to_timestamp(${fromMs / 1_000}) and created_at < to_timestamp(${(fromMs + DAY_MS) / 1_000})`;
    const { rows: counts } = await pool.query(
      `select count(*) filter (where reverses is null)::integer as payments,
         count(*) filter (where reverses is not null)::integer as reversals
       from svc.ledger_entries where account_name = 'payer' and ${at}`,
    );
    expect(others).toEqual([]);
    if (line !== undefined) expect(added([line])).toEqual(await ledgerSums(pool, at));
    expect({ payments: line?.payments ?? 0, reversals: line?.reversals ?? 0 }).toEqual(counts[0]);
  }
});

test('a day of many parts has the sum of its parts', async () => {
  const database = await createTestDatabase();
  const store = createExportStore(database);
  await database.pool.query(
    `insert into svc.ledger_entries (account_id, mode, id, payment_id, network, asset, account_name, party, amount,
       transaction_id, log_index, created_at)
     select 'acct_a', 'test', svc.id_bound('lg', to_timestamp($1)) || lpad(n::text, 7, '0') || side,
       'pay_' || n, 'eip155:84532', '0x', case side when 0 then 'payer' else 'merchant' end, '0x',
       case side when 0 then -n else n end, '0x', 0, to_timestamp($1)
     from generate_series(1, 6000) n cross join generate_series(0, 1) side`,
    [DAY / 1_000],
  );
  const sums = await sumOfDay(store, DAY);
  expect(sums.length).toBe(6);
  const [line] = statementLines(sums);
  expect(line).toMatchObject({ payments: 6_000, gross: '18003000', net: '18003000', fee: '0' });
});

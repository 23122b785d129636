import { idBound } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { BOOKED_PAYMENTS, BOOKED_WITHOUT_METADATA, BOOKING_ENTRIES } from './load-bookings.ts';
import { BEGIN_EXPORT, BOOKING_PAGES } from './read-bookings.ts';
import { DAY_PART } from './sum-day.ts';

const DAY_MS = 86_400_000;
const [MINE, OTHERS] = [3_000, 30_000];

type Plan = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
} & Readonly<Record<string, unknown>>;

/** Payments of two accounts over ten years of months, with two entries each: in their bookings, or as rows of their own. */
async function filled(into: 'ledger_entries' | 'ledger_entry_rows') {
  const { pool, url } = await createTestDatabase();
  // Only months of the tables that a page reads along: of all tables they would take half a minute.
  await pool.query(
    "delete from svc.partitioned_tables where table_name not in ('ledger_entry_rows', 'ledger_bookings', 'payments')",
  );
  await pool.query('select svc.ensure_partitions(119, 1)');
  const fill = (account: string, count: number) =>
    pool.query(
      `with made as (
         select n, now() - make_interval(days => (n * 7) % 3000) as at from generate_series(1, $2::integer) n
       )
       insert into svc.${into} (account_id, mode, id, payment_id, network, asset, account_name, party, amount,
         transaction_id, log_index, created_at)
       select $1, 'test', svc.id_bound('lg', at) || lpad(n::text, 15, '0') || side,
         svc.id_bound('pay', at) || lpad(n::text, 16, '0'), 'eip155:84532', '0x',
         case side when 0 then 'payer' else 'merchant' end, '0x', case side when 0 then -1 else 1 end, '0x', 0, at
       from made cross join generate_series(0, 1) side`,
      [account, count],
    );
  await fill('acct_b', OTHERS);
  await fill('acct_a', MINE);
  const database = openDatabase(url, {
    applicationName: 'plans',
    maxConnections: 1,
    statementTimeoutMs: 30_000,
    byKeys: true,
    onConnectionLost: () => {},
  });
  return { pool, database };
}

async function explain(pool: pg.Pool, text: string, values: readonly unknown[]) {
  // As the service runs it: prepared, with a generic plan.
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(BEGIN_EXPORT.text, ['acct_a', 'test']);
    await client.query(`prepare measured as ${text}`);
    const shown = values.map((value) =>
      Array.isArray(value) ? `array[${value.map(quoted).join(', ')}]::text[]` : quoted(value),
    );
    const { rows } = await client.query(
      `explain (analyze, buffers, format json) execute measured (${shown.join(', ')})`,
    );
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'] as readonly [{ readonly Plan: Plan }];
    const nodes = flat(plan);
    const scans = nodes.filter((node) => node['Relation Name'] !== undefined);
    return {
      given: plan['Actual Rows'] ?? 0,
      read: scans.reduce(
        (sum, node) =>
          sum + ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 1),
        0,
      ),
      buffers: Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']),
      kinds: new Set(nodes.map((node) => node['Node Type'])),
    };
  } finally {
    await client.query('rollback');
    await client.query('deallocate all');
    client.release();
  }
}

const quoted = (value: unknown) => `'${String(value)}'`;
const flat = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)];

const SLOW_MS = 60_000;

test.each([
  ['in bookings', 'ledger_entries'],
  ['as rows', 'ledger_entry_rows'],
] as const)(
  'ten years of entries %s, analyzed or not: a page reads little more than it gives',
  { timeout: SLOW_MS },
  async (_, into) => {
    const { pool, database } = await filled(into);
    const older = into === 'ledger_entry_rows';
    await measure(pool, database.pool, older);
    await pool.query('analyze svc.ledger_bookings, svc.ledger_entry_rows, svc.payments');
    await measure(pool, database.pool, older);
    await database.close();
  },
);

async function measure(pool: pg.Pool, served: pg.Pool, older: boolean): Promise<void> {
  const { rows: pick } = await pool.query<{ position: string; id: string; payment_id: string; entry_ids: string[] }>(
    "select position::text, id, payment_id, entry_ids from svc.ledger_bookings where account_id = 'acct_a' order by position, id offset 1000 limit 100",
  );
  const page = await explain(served, BOOKING_PAGES[0]!.query.text, [
    'acct_a',
    'test',
    pick[0]!.position,
    pick[0]!.id,
    1n << 60n,
  ]);
  expect(page.given).toBe(101);
  expect(page.kinds).not.toContain('Sort');
  // Each month has at most one row in advance.
  expect(page.read).toBeLessThanOrEqual(101 + 123);
  expect(page.buffers).toBeLessThan(1_000);

  // Other bookings have been read with their entries.
  const entries = await explain(served, BOOKING_ENTRIES.text, [
    'acct_a',
    'test',
    pick.map(({ payment_id }) => payment_id),
    pick.map(({ entry_ids }) => entry_ids[0]),
    pick.map(({ entry_ids }) => entry_ids.at(-1)),
  ]);
  expect(entries.given).toBe(older ? 200 : 0);
  expect(entries.read).toBeLessThanOrEqual(200);
  expect(entries.buffers).toBeLessThan(1_000);

  for (const { text } of [BOOKED_PAYMENTS, BOOKED_WITHOUT_METADATA]) {
    const payments = await explain(served, text, ['acct_a', 'test', pick.map(({ payment_id }) => payment_id)]);
    expect(payments.read).toBeLessThanOrEqual(100);
  }

  const fromMs = Math.floor((Date.now() - 700 * DAY_MS) / DAY_MS) * DAY_MS;
  const day = await explain(served, DAY_PART.text, [
    'acct_a',
    'test',
    idBound('ledgerEntry', fromMs),
    idBound('ledgerEntry', fromMs + DAY_MS),
    'native',
    'network',
  ]);
  expect(day.read).toBeLessThanOrEqual(30);
  expect(day.buffers).toBeLessThan(200);
}

// Rules for every table, checked against the catalog, so that they also hold for tables that are added later.
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';

const { pool } = await createTestDatabase();

/** Tables whose rows belong to no account. */
const OURS = [
  'abuse_counts',
  'accounts',
  'audit_exports',
  'batch_transactions',
  'batches',
  'changed_settings',
  'console_sessions',
  'delivery_shards',
  'denied',
  'deny_list',
  'gas_budget_uses',
  'gas_budgets',
  'gas_losses',
  'gas_paid',
  'partitioned_tables',
  'hourly_caps',
  'icrc_cursors',
  'icrc_transfers',
  'installation',
  // Of an account or of a person.
  'invitations',
  'ledger_checks',
  'ledger_order',
  // Of the account of its intent code.
  'late_terms',
  'late_ways',
  'log_proofs',
  'network_health',
  'node_readings',
  'open_restores',
  'operators',
  'overview_cursors',
  'passkeys',
  'persons',
  'proven_wallets',
  'quota_buckets',
  'quota_processes',
  'quota_streams',
  'read_logs',
  'reader_blocks',
  'reader_cursors',
  'registry_positions',
  'relayers',
  'retention_runs',
  'retired_partitions',
  'settings_version',
  'sign_in_buckets',
  'solo_payers',
  'svc_migrations',
  'webauthn_challenges',
];
/** Tables whose key is unique over all accounts, for ever. */
const UNIQUE_OVER_ALL = ['claims', 'intent_codes', 'unsettled_authorizations', 'x402_leases'];
/** Tables without a mode: their rows belong to the account as a whole, or to the installation. */
const WITHOUT_MODE = [
  'abuse_counts',
  'account_moves',
  'accounts',
  'audit_exports',
  'changed_settings',
  'console_sessions',
  'delivery_shards',
  'denied',
  'deny_list',
  'gas_budget_uses',
  'gas_budgets',
  'gas_paid',
  'partitioned_tables',
  'hourly_caps',
  'icrc_cursors',
  'icrc_transfers',
  'installation',
  'invitations',
  'ledger_checks',
  'ledger_order',
  'late_terms',
  'late_ways',
  'memberships',
  'network_health',
  'node_readings',
  'open_restores',
  'operators',
  'overview_cursors',
  'passkeys',
  'persons',
  'proven_wallets',
  'quota_buckets',
  'quota_processes',
  'quota_streams',
  'read_logs',
  'reader_blocks',
  'reader_cursors',
  'registry_positions',
  'retention_runs',
  'retired_partitions',
  'settings_version',
  'sign_in_buckets',
  'solo_payers',
  'svc_migrations',
  'webauthn_challenges',
];

type Column = { table: string; column: string; type: string; nullable: boolean; collation: string };

const { rows: columns } = await pool.query<Column>(`
  select relname as table, attname as column, format_type(atttypid, atttypmod) as type,
         not attnotnull as nullable, coalesce(collname, '') as collation
  from pg_attribute
  join pg_class on pg_class.oid = attrelid
  left join pg_collation on pg_collation.oid = attcollation
  where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p') and not relispartition
    and attnum > 0 and not attisdropped
  order by relname, attnum`);
const tables = [...new Set(columns.map(({ table }) => table))];
const tenantTables = tables.filter((table) => !OURS.includes(table));
const columnOf = (table: string, column: string) => columns.find((c) => c.table === table && c.column === column);

test('the lists of exceptions name tables that exist', () => {
  expect(tables).toEqual(expect.arrayContaining([...OURS, ...UNIQUE_OVER_ALL, ...WITHOUT_MODE]));
});

test.each(tenantTables)('%s names the account on every row', (table) => {
  expect(columnOf(table, 'account_id')).toMatchObject({ type: 'text', nullable: false, collation: 'C' });
});

test.each(tables.filter((table) => !WITHOUT_MODE.includes(table)))('%s has a mode on every row', (table) => {
  expect(columnOf(table, 'mode')).toMatchObject({ type: 'svc.mode', nullable: false });
});

test.each(tenantTables.filter((table) => !UNIQUE_OVER_ALL.includes(table)))(
  'the key of %s begins with the account, and the mode if it has one',
  async (table) => {
    const { rows } = await pool.query<{ column: string }>(
      `select attname as column from pg_index
       join pg_attribute on attrelid = indrelid and attnum = any (indkey)
       where indrelid = $1::regclass and indisprimary order by array_position(indkey::int2[], attnum)`,
      [`svc.${table}`],
    );
    const first = WITHOUT_MODE.includes(table) ? ['account_id'] : ['account_id', 'mode'];
    expect(rows.map(({ column }) => column).slice(0, first.length)).toEqual(first);
  },
);

test('every id compares as bytes', () => {
  const ids = columns.filter(({ column, type }) => type === 'text' && /(^|_)id$/.test(column));
  expect(ids.length).toBeGreaterThan(30);
  expect(ids.filter(({ collation }) => collation !== 'C')).toEqual([]);
});

test('every number that may be money is of a type that knows its bounds', () => {
  // Quotas count requests and milliseconds.
  const money = columns.filter(({ table }) => !table.startsWith('quota_'));
  const numbers = money.filter(({ type }) => /numeric|real|double|money|svc\.(.*amount|usd|token_rate)/.test(type));
  expect(numbers.length).toBeGreaterThan(10);
  expect(
    numbers.filter(
      ({ type }) =>
        !/^svc\.((positive_|signed_|refunded_|told_|summed_)?amount(\[\])?|usd_atto|token_rate)$/.test(type),
    ),
  ).toEqual([]);
  const named = columns.filter(({ column }) => /(^|_)(amount|cap|atto)$/.test(column));
  expect(named.filter(({ type }) => !type.startsWith('svc.'))).toEqual([]);
});

const TOP = (2n ** 256n - 1n).toString();
const OVER = (2n ** 256n).toString();
test.each([
  ['amount', ['0', '1', TOP], ['-1', OVER, '0.5', '1.0', 'NaN', 'Infinity']],
  ['positive_amount', ['1', TOP], ['0', '-1', OVER, '0.5', '1.0', 'NaN', 'Infinity']],
  ['signed_amount', ['1', '-1', TOP, `-${TOP}`], ['0', OVER, `-${OVER}`, '0.5', 'NaN', '-Infinity']],
  ['usd_atto', ['0', '9'.repeat(38)], ['-1', `1${'0'.repeat(38)}`, '0.5', 'NaN']],
  ['token_rate', ['1', '9'.repeat(38)], ['0', '-1', `1${'0'.repeat(38)}`, '0.5', 'NaN']],
  ['mode', ['test', 'live'], ['', 'Live', 'sandbox']],
])('svc.%s takes what it should and refuses the rest', async (type, good, bad) => {
  for (const value of good) {
    const { rows } = await pool.query(`select $1::text::svc.${type}::text as value`, [value]);
    expect(rows).toEqual([{ value }]);
  }
  for (const value of bad) {
    await expect(pool.query(`select $1::text::svc.${type}`, [value]), value).rejects.toThrow(/violates check/);
  }
});

/** Columns with a fixed set of values. */
const WORD = /^(status|kind|scheme|outcome|account_name|type)$/;
const words = columns
  .filter(({ column }) => WORD.test(column))
  .map(({ table, column, type }) => [`${table}.${column}`, type] as const);

test.each(words)('%s refuses an unknown word', async (_, type) => {
  const { rows } = await pool.query<{ rule: string }>(
    `select pg_get_constraintdef(oid) as rule from pg_constraint
     where contypid = $1::text::regtype and contype = 'c'`,
    [type],
  );
  const known = [
    ...rows
      .map(({ rule }) => rule)
      .join()
      .matchAll(/'([^']+)'::text/g),
  ].map(([, word]) => word ?? '');
  expect(known.length).toBeGreaterThan(1);
  const cast = (word: string) => pool.query(`select $1::text::${type}`, [word]);
  for (const word of known) await cast(word);
  for (const word of ['unheard_of', '', known[0]?.toUpperCase() ?? '']) {
    await expect(cast(word), word).rejects.toMatchObject({ code: '23514' });
  }
});

test('every table cut by time is in svc.partitioned_tables, and has a default partition', async () => {
  const { rows } = await pool.query<{ table: string; listed: boolean; caught: boolean }>(`
    select relname as table, partdefid <> 0 as caught,
           exists (select from svc.partitioned_tables where table_name = relname) as listed
    from pg_partitioned_table join pg_class on pg_class.oid = partrelid where partstrat = 'r' order by relname`);
  expect(rows.length).toBeGreaterThan(8);
  expect(rows.filter(({ listed, caught }) => !listed || !caught)).toEqual([]);
});

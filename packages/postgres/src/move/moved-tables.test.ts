import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { KEYS_BY_THEMSELVES, MOVED_TABLES, STAYING_TABLES } from './moved-tables.ts';

const { pool } = await createTestDatabase();

const { rows } = await pool.query<{ table: string; account: boolean }>(`
  select relname as table, exists (
    select from pg_attribute where attrelid = pg_class.oid and attname = 'account_id' and not attisdropped
  ) as account
  from pg_class where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`);

test('every table is decided: its rows move with an account, or stay', () => {
  const decided = [...MOVED_TABLES.map(({ table }) => table), ...Object.keys(STAYING_TABLES)];
  expect(decided.toSorted()).toEqual(rows.map(({ table }) => table));
});

test('every table with rows of an account moves or says why not, and is guarded or written by no one else', () => {
  const unguarded = MOVED_TABLES.filter(({ guard }) => guard === undefined).map(({ table }) => table);
  expect(rows.filter(({ table, account }) => account && unguarded.includes(table)).map(({ table }) => table)).toEqual([
    'overview_buckets',
    'overview_failures',
    'overview_times',
    'payment_references',
  ]);
});

test('of every key over all accounts it is decided what happens when the other cell has a row under it', async () => {
  const { rows: unique } = await pool.query<{ table: string }>(
    `select distinct relname as table from pg_index join pg_class on pg_class.oid = indrelid
     where indisunique and relnamespace = 'svc'::regnamespace and not relispartition and relname = any ($1) and not exists (
       select from pg_attribute where attrelid = indrelid and attnum = any (indkey) and attname = 'account_id'
     ) order by 1`,
    [MOVED_TABLES.map(({ table }) => table)],
  );
  const decided = MOVED_TABLES.filter(({ shared, key }) => shared || key).map(({ table }) => table);
  expect([...decided, ...Object.keys(KEYS_BY_THEMSELVES)].toSorted()).toEqual(unique.map(({ table }) => table));
});

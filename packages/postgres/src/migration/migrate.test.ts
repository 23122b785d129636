import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { type MigrateResult, migrate } from './migrate.ts';
import { planMigrations } from './plan-migrations.ts';
import { readMigrations } from './read-migrations.ts';

const release = fileURLToPath(new URL('../../migrations/', import.meta.url));
const names = (await readMigrations(release)).map(({ name }) => name);
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** A folder with the migrations of this release and those of the test. */
async function releaseWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-pay-migrations-'));
  folders.push(folder);
  await cp(release, folder, { recursive: true });
  for (const [name, sql] of Object.entries(files)) await writeFile(path.join(folder, `${name}.sql`), sql);
  return folder;
}

const appliedCounts = (results: readonly MigrateResult[]) =>
  results.map((result) => (result.ok ? result.applied.length : -1)).toSorted((one, other) => one - other);

test('called by four at once, it migrates once', async () => {
  const { url, pool } = await createTestDatabase({ from: 'empty' });
  const results = await Promise.all(Array.from({ length: 4 }, () => migrate(url)));
  expect(appliedCounts(results)).toEqual([0, 0, 0, names.length]);
  const { rows } = await pool.query('select name from svc.svc_migrations order by name');
  expect(rows.map(({ name }) => name)).toEqual(names);
});

test('a second run changes nothing', async () => {
  const { url, pool } = await createTestDatabase();
  const everything = `
    select pg_class.oid::text, relname, xmin::text from pg_class where relnamespace = 'svc'::regnamespace
    union all select oid::text, proname, xmin::text from pg_proc where pronamespace = 'svc'::regnamespace order by 1`;
  const { rows: before } = await pool.query(everything);
  expect(await migrate(url)).toEqual({ ok: true, applied: [], partitions: [] });
  expect((await pool.query(everything)).rows).toEqual(before);
});

test('a file that changed after it was applied is refused', async () => {
  const { url } = await createTestDatabase();
  const directory = await releaseWith({ '0003_accounts': '-- another history' });
  expect(await migrate(url, { directory })).toEqual({ ok: false, code: 'migration_changed', name: '0003_accounts' });
});

test('a database ahead of the code is refused', async () => {
  const { url } = await createTestDatabase();
  const directory = await releaseWith({ '9000_later': 'create table svc.later (n integer)' });
  expect(await migrate(url, { directory })).toEqual({ ok: true, applied: ['9000_later'], partitions: [] });
  expect(await migrate(url)).toEqual({ ok: false, code: 'migration_unknown', name: '9000_later' });
});

test('a database of the migrations before the baseline is refused as such, and nothing runs', async () => {
  const { url, pool } = await createTestDatabase();
  await pool.query('delete from svc.svc_migrations');
  await pool.query(`
    insert into svc.svc_migrations (name, checksum, applied_at)
    select unnest(array['0001_foundations', '0002_history', '0006_settlements']), 'old', now()`);
  const refused = { ok: false, code: 'database_before_baseline', name: '0002_history' };
  expect(await migrate(url)).toEqual(refused);
  expect(await planMigrations(url)).toEqual(refused);
  expect((await pool.query('select from svc.svc_migrations')).rowCount).toBe(3);
});

test('a file that was slipped in before applied ones is refused, and nothing runs', async () => {
  const { url, pool } = await createTestDatabase();
  await migrate(url, { directory: await releaseWith({ '9001_last': 'select 1' }) });
  const directory = await releaseWith({ '9000_late': 'create table svc.late (n integer)', '9001_last': 'select 1' });
  expect(await migrate(url, { directory })).toEqual({ ok: false, code: 'migration_out_of_order', name: '9000_late' });
  expect((await pool.query("select to_regclass('svc.late') as late")).rows).toEqual([{ late: null }]);
});

test('a migration that fails leaves nothing of itself, and those before it stay', async () => {
  const { url, pool } = await createTestDatabase();
  const directory = await releaseWith({
    '9000_good': 'create table svc.good (n integer)',
    '9001_bad': 'create table svc.half (n integer); select 1 / 0',
  });
  await expect(migrate(url, { directory })).rejects.toThrow('migration 9001_bad failed: division by zero');
  const { rows } = await pool.query("select to_regclass('svc.good') is null as good, to_regclass('svc.half') as half");
  expect(rows).toEqual([{ good: false, half: null }]);
});

test('a migration and a service that lock two tables in opposite order both go on', async () => {
  const { url, pool } = await createTestDatabase();
  const directory = await releaseWith({
    '9000_two_tables': 'alter table svc.payouts add column n integer; alter table svc.accounts add column n integer',
  });
  const service = await pool.connect();
  try {
    await service.query('begin');
    await service.query('select from svc.accounts');
    const migrated = migrate(url, { directory });
    const waits = "select from pg_locks where not granted and relation = 'svc.accounts'::regclass";
    while ((await pool.query(waits)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // The migration has the payouts now and waits for the accounts.
    await service.query('select from svc.payouts');
    await service.query('commit');
    expect(await migrated).toMatchObject({ ok: true, applied: ['9000_two_tables'] });
  } finally {
    service.release();
  }
});

test('an index is built without blocking writers, also while others wait to migrate', async () => {
  const { url, pool } = await createTestDatabase();
  const directory = await releaseWith({
    '9000_index':
      '-- migrate: no transaction\ncreate index concurrently if not exists accounts_name on svc.accounts (name)',
  });
  const results = await Promise.all(Array.from({ length: 3 }, () => migrate(url, { directory })));
  expect(appliedCounts(results)).toEqual([0, 0, 1]);
  const { rows } = await pool.query("select indisvalid from pg_index where indexrelid = 'svc.accounts_name'::regclass");
  expect(rows).toEqual([{ indisvalid: true }]);
});

test('whoever migrates, everything belongs to svc_migrator', async () => {
  const { pool } = await createTestDatabase();
  const { rows } = await pool.query(`
    select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = 'svc'::regnamespace
    union select pg_get_userbyid(proowner) from pg_proc where pronamespace = 'svc'::regnamespace`);
  expect(rows).toEqual([{ owner: 'svc_migrator' }]);
});

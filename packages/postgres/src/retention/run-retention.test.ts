import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { loadInstallationId } from '../database/load-installation.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { idAt } from '../testing/id-at.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { listArchives, readLines, readManifest } from './archive-files.ts';
import { listRetiredPartitions } from './list-retired.ts';
import { reportRetention } from './report-retention.ts';
import type { Retired } from './retire-partition.ts';
import { type RetentionOptions, runRetention } from './run-retention.ts';

const OLD = Date.UTC(2024, 0, 10);
/** More than a page of rows. */
const ROWS = 1_203;
const STEPS = [
  'detached',
  'rows written',
  'manifest written',
  'archive named',
  'archived',
  'compared',
  'dropped in the transaction',
  'after the commit',
];
const monthOf = (table: string, atMs: number) =>
  `${table}_${new Date(atMs).toISOString().slice(0, 7).replace('-', '_')}`;

/** Only the tables of the test are cut by time: each month of each costs a partition. */
async function openWorld(...tables: readonly string[]) {
  const { pool, url } = await createTestDatabase();
  await pool.query('delete from svc.partitioned_tables where table_name <> all ($1)', [['events', ...tables]]);
  // With exactly the rights of the settlement service.
  const service = new pg.Pool({ connectionString: url, max: 2, options: '-c role=svc_settlement' });
  service.on('error', () => {});
  onTestFinished(() => service.end());
  const base = await mkdtemp(join(tmpdir(), 'svc-archive-'));
  onTestFinished(() => rm(base, { recursive: true }));
  const installation = await loadInstallationId(pool);
  const directory = join(base, installation);
  const run = async (change: Partial<RetentionOptions> = {}) => {
    const retired = new Map<string, Retired>();
    const failures = new Map<string, string>();
    const ran = await runRetention(service, {
      archive: 'directory',
      archiveDirectory: base,
      clock: { nowMs: () => Date.now() },
      stop: new AbortController().signal,
      onRetired: (partition, outcome) => retired.set(partition, outcome),
      onFailure: (partition, problem) => failures.set(partition, String(problem)),
      ...change,
    });
    return { ran, retired, failures };
  };
  const addEvents = (atMs: number, count = ROWS) =>
    pool.query(
      `insert into svc.events (account_id, mode, id, type, intent_id, sequence, api_version, body, created_at)
       select 'acct_a', 'test', $1 || lpad(n::text, 6, '0'), 'payment.completed', 'pi_' || n, n, '2026-11-15',
         convert_to('{"n":' || n || ',"line":"' || chr(8232) || chr(10) || '\\"ü"}', 'UTF8'), $3
       from generate_series(1, $2::integer) n`,
      [idAt('evt', atMs).slice(0, 20), count, new Date(atMs)],
    );
  const exists = async (name: string) =>
    (await pool.query('select to_regclass($1) is not null as there', [`svc.${name}`])).rows[0].there as boolean;
  const makeMonth = (atMs: number) => pool.query('select svc.ensure_partitions(0, 0, $1)', [new Date(atMs)]);
  return { pool, service, base, directory, run, addEvents, exists, makeMonth };
}

const linesOf = async (directory: string, name: string) => {
  const lines: string[] = [];
  for await (const line of readLines(directory, name)) lines.push(line);
  return lines;
};

test('a crash between any two steps leaves the rows or a whole archive, and the next run ends what it began', async () => {
  const { pool, directory, run, addEvents, exists, makeMonth } = await openWorld();
  for (const [index, step] of STEPS.entries()) {
    const atMs = Date.UTC(2024, index, 10);
    const month = monthOf('events', atMs);
    await makeMonth(atMs);
    await addEvents(atMs, 501 + index);
    const before = await pool.query(
      `set timezone = 'UTC'; select row_to_json(e)::text as line from svc.${month} e order by id`,
    );
    const lines = (before as unknown as pg.QueryResult<{ line: string }>[])[1]?.rows.map(({ line }) => line);
    let crashed = false;
    await run({
      onStep: (reached, of) => {
        if (reached !== step || of !== month) return;
        crashed = true;
        throw new Error('crash');
      },
    });
    expect(crashed, step).toBe(true);
    const isThere = await exists(month);
    if (isThere) expect((await pool.query(`select from svc.${month}`)).rowCount, step).toBe(501 + index);
    else expect(await linesOf(directory, `${month}.1`), step).toEqual(lines);

    await run();
    expect(await exists(month), step).toBe(false);
    expect(await linesOf(directory, `${month}.1`), step).toEqual(lines);
    const recorded = (await listRetiredPartitions(pool)).filter(({ name }) => name.startsWith(month));
    const manifest = await readManifest(directory, `${month}.1`);
    expect(recorded).toMatchObject([{ rows: 501 + index, sha256: manifest?.sha256 }]);
  }
  expect(await listArchives(directory)).toEqual(
    STEPS.map((_, index) => `${monthOf('events', Date.UTC(2024, index, 10))}.1`),
  );
  expect(await reportRetention(pool)).toMatchObject({ problem: null });
}, 60_000);

test('an archive gives back the rows that were dropped, whatever their types', async () => {
  const { pool, directory, run, makeMonth, addEvents } = await openWorld('delivery_attempts', 'gas_losses');
  await makeMonth(OLD);
  await addEvents(OLD, 3);
  const eventId = idAt('evt', OLD);
  await insertRow(pool, 'delivery_attempts', {
    event_id: eventId,
    request_headers: '{"a": 1e400, "b": {"c": [null, "\\u2028"]}}',
    response_excerpt: Buffer.from([0, 10, 92, 255]),
    started_at: new Date(OLD + 1),
  });
  await insertRow(pool, 'gas_losses', { id: idAt('lg', Date.UTC(2010, 1, 1)), amount: (2n ** 255n).toString() });
  const tables = ['events', 'delivery_attempts', 'gas_losses'];
  const contents = async () =>
    Promise.all(tables.map(async (table) => (await pool.query(`select t::text from svc.${table} t order by 1`)).rows));
  const before = await contents();
  expect((await run()).failures).toEqual(new Map());
  expect((await contents()).flat()).toEqual([]);
  for (const name of await listArchives(directory)) {
    const { table = '' } = (await readManifest(directory, name)) ?? {};
    await pool.query(
      `insert into svc.${table} select (json_populate_record(null::svc.${table}, line::json)).* from unnest($1::text[]) line`,
      [await linesOf(directory, name)],
    );
  }
  expect(await contents()).toEqual(before);
});

test('an archive that differs from the rows, or is damaged on disk, is no reason to drop anything', async () => {
  const { pool, directory, run, addEvents, exists, makeMonth } = await openWorld();
  const month = monthOf('events', OLD);
  await makeMonth(OLD);
  await addEvents(OLD);
  const crash = (step: string) =>
    run({
      onStep: (reached, of) => {
        if (reached === step && of === month) throw new Error('crash');
      },
    });
  await crash('archived');
  await pool.query(`update svc.${month} set sequence = 0 where sequence = 700`);
  const differs = await run();
  expect(differs.failures.get(month)).toMatch(/differs from its rows/);
  expect(await exists(month)).toBe(true);
  // Nothing is deleted: it may be the only copy of something.
  expect(await readdir(directory)).toEqual([expect.stringContaining(`${month}.1.differs-`)]);

  await crash('archived');
  const file = join(directory, `${month}.1`, 'rows.ndjson.gz');
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(7, bytes.length >> 1, (bytes.length >> 1) + 20));
  const damaged = await run();
  expect(damaged.failures.has(month)).toBe(true);
  expect(await exists(month)).toBe(true);
  expect((await reportRetention(pool)).problem).toContain(month);
});

test('without a word of the operator rows stay and are reported; with `off` they leave without a copy', async () => {
  const { pool, base, run, addEvents, exists, makeMonth } = await openWorld('deliveries');
  await makeMonth(OLD);
  await addEvents(OLD, 2);
  const month = monthOf('events', OLD);
  const unset = { archive: 'unset', archiveDirectory: undefined } as const;
  const { retired } = await run(unset);
  expect(retired.get(month)).toEqual({ outcome: 'waits', reason: 'archive_not_set' });
  // A month without rows needs no copy.
  expect(retired.get(monthOf('deliveries', OLD))).toEqual({ outcome: 'dropped', rows: 0 });
  expect(await exists(month)).toBe(true);
  expect((await reportRetention(pool)).problem).toContain(`${month}: archive_not_set`);
  const report = await reportRetention(pool);
  expect(report.tables.filter(({ expired }) => expired > 0)).toMatchObject([{ tableName: 'events', expired: 1 }]);

  expect((await run({ archive: 'off', archiveDirectory: undefined })).retired.get(month)).toEqual({
    outcome: 'dropped',
    rows: 2,
  });
  expect(await exists(month)).toBe(false);
  expect(await readdir(base)).toEqual([]);
  expect(await listRetiredPartitions(pool)).toContainEqual(
    expect.objectContaining({ name: `${month}.1`, sha256: null }),
  );
});

test.each([
  ['settlements', { payment_id: idAt('pay', OLD), status: 'queued' }],
  ['authorizations', { intent_id: idAt('pi', OLD), closed_at: null }],
] as const)('a month of %s with work to do stays', async (table, row) => {
  const { pool, run, exists, makeMonth } = await openWorld(table);
  await makeMonth(OLD);
  await insertRow(pool, table, row);
  const { retired } = await run({ archive: 'off' });
  expect(retired.get(monthOf(table, OLD))).toEqual({ outcome: 'waits', reason: 'unfinished_rows' });
  expect(await exists(monthOf(table, OLD))).toBe(true);
});

test('rows of months that never had a partition move to theirs, and leave when those are no longer kept', async () => {
  const { pool, directory, run, addEvents } = await openWorld();
  const keptMs = Date.now() - 100 * 86_400_000;
  await addEvents(OLD, 2);
  await addEvents(keptMs, 2);
  const report = await reportRetention(pool);
  expect(report.tables.find(({ tableName }) => tableName === 'events')?.hasStrayRows).toBe(true);
  await run();
  const after = await reportRetention(pool);
  expect(after.tables.filter(({ hasStrayRows, monthsAhead }) => hasStrayRows || monthsAhead < 3)).toEqual([]);
  expect(await listArchives(directory)).toEqual([`${monthOf('events', OLD)}.1`]);
  const { rows } = await pool.query('select tableoid::regclass::text as home from svc.events');
  expect(rows.map(({ home }) => home)).toEqual([1, 2].map(() => `svc.${monthOf('events', keptMs)}`));
});

test('a transaction that has read a table for hours delays its partitions and nobody else', async () => {
  const { pool, run, addEvents } = await openWorld();
  await addEvents(OLD, 2);
  const [backup, payer] = [await pool.connect(), await pool.connect()];
  await backup.query('begin');
  await backup.query('select from svc.events limit 1');
  const running = run();
  await payer.query("set statement_timeout = '900ms'");
  const read = async () => {
    for (let left = 10; left > 0; left -= 1) {
      await payer.query('select from svc.events limit 1');
      await sleep(100);
    }
  };
  const waited = await read().then(
    () => 'less than a second',
    (problem: unknown) => problem,
  );
  await backup.query('commit');
  for (const client of [backup, payer]) client.release(true);
  expect(waited).toBe('less than a second');
  expect((await running).retired.get(monthOf('events', OLD))).toEqual({ outcome: 'archived', rows: 2 });
});

test('rows that come for a month that is gone leave a month later, in an archive of their own', async () => {
  const { pool, directory, run, addEvents } = await openWorld();
  const month = monthOf('events', OLD);
  await addEvents(OLD, 3);
  await run();
  await addEvents(OLD, 2);
  expect((await run()).retired).toEqual(new Map());
  const { tables } = await reportRetention(pool);
  expect(tables.filter(({ hasStrayRows, expired }) => hasStrayRows || expired > 0)).toEqual([]);
  await pool.query("update svc.retired_partitions set dropped_at = now() - interval '32 days'");
  await run();
  expect(await listArchives(directory)).toEqual([`${month}.1`, `${month}.2`]);
  expect(await Promise.all([1, 2].map(async (n) => (await linesOf(directory, `${month}.${n}`)).length))).toEqual([
    3, 2,
  ]);
});

test('two processes do not retire at once', async () => {
  const { service, run } = await openWorld();
  const client = await service.connect();
  await client.query("select pg_advisory_lock(hashtextextended('svc.retention', 0))");
  expect((await run()).ran).toBe(false);
  client.release(true);
});

test('settlement reads, detaches and drops no month that is kept', async () => {
  const { pool, service, makeMonth } = await openWorld('attempts');
  await makeMonth(OLD);
  const kept = monthOf('attempts', Date.now());
  const expired = monthOf('events', OLD);
  for (const call of [
    `svc.detach_expired_partition('${kept}')`,
    `svc.read_retired_partition('${kept}', null, 1)`,
    `svc.drop_retired_partition('${kept}', 0, null)`,
    `svc.lock_retired_partition('accounts')`,
    // Not before it is detached.
    `svc.drop_retired_partition('${expired}', 0, null)`,
  ]) {
    await expect(service.query(`select ${call}`), call).rejects.toMatchObject({ code: '55000' });
  }
  await pool.query(`select from svc.${kept}`);
});

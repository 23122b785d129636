// A database with some tables that are cut by time, a directory for archives, and runs of retention with settlement's rights.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { loadInstallationId } from '../database/load-installation.ts';
import { readLines, readManifest } from '../retention/archive-files.ts';
import { listRetiredPartitions } from '../retention/list-retired.ts';
import type { Retired } from '../retention/retire-partition.ts';
import { type RetentionOptions, runRetention } from '../retention/run-retention.ts';
import { createTestDatabase } from './create-test-database.ts';
import { idAt } from './id-at.ts';

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

const named = (table: string, atMs: number, length: number) =>
  `${table}_${new Date(atMs).toISOString().slice(0, length).replaceAll('-', '_')}`;
export const monthOf = (table: string, atMs: number) => named(table, atMs, 7);
export const dayOf = (table: string, atMs: number) => named(table, atMs, 10);

type RetentionWorld = Awaited<ReturnType<typeof openRetention>>;

/** Only the tables of the test are cut by time: each month of each costs a partition. */
export async function openRetention(...tables: readonly string[]) {
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
  const cutInto = (kind: 'month' | 'day') =>
    pool.query('update svc.partitioned_tables set partition_by = $1, months_kept = 3', [kind]);
  return { pool, service, base, directory, run, addEvents, exists, makeMonth, cutInto };
}

export async function linesOf(directory: string, name: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of readLines(directory, name)) lines.push(line);
  return lines;
}

/** For each step: a partition of events whose retirement ends there, and the run after it. Returns the partitions' names. */
export async function crashAtEachStep(
  { pool, directory, run, addEvents, exists, makeMonth }: RetentionWorld,
  timeOf: (index: number) => number,
  nameOf: (table: string, atMs: number) => string,
): Promise<readonly string[]> {
  for (const [index, step] of STEPS.entries()) {
    const atMs = timeOf(index);
    const partition = nameOf('events', atMs);
    await makeMonth(atMs);
    await addEvents(atMs, 501 + index);
    const before = await pool.query(
      `set timezone = 'UTC'; select row_to_json(e)::text as line from svc.${partition} e order by id`,
    );
    const lines = (before as unknown as pg.QueryResult<{ line: string }>[])[1]?.rows.map(({ line }) => line);
    let crashed = false;
    await run({
      onStep: (reached, of) => {
        if (reached !== step || of !== partition) return;
        crashed = true;
        throw new Error('crash');
      },
    });
    expect(crashed, step).toBe(true);
    const isThere = await exists(partition);
    if (isThere) expect((await pool.query(`select from svc.${partition}`)).rowCount, step).toBe(501 + index);
    else expect(await linesOf(directory, `${partition}.1`), step).toEqual(lines);

    await run();
    expect(await exists(partition), step).toBe(false);
    expect(await linesOf(directory, `${partition}.1`), step).toEqual(lines);
    const recorded = (await listRetiredPartitions(pool)).filter(({ name }) => name.startsWith(`${partition}.`));
    const manifest = await readManifest(directory, `${partition}.1`);
    expect(recorded).toMatchObject([{ rows: 501 + index, sha256: manifest?.sha256 }]);
  }
  return STEPS.map((_, index) => nameOf('events', timeOf(index)));
}

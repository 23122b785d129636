// Migrates a database to the schema of this release. Forward only: the next migration corrects a mistake. Any number of
// processes may call it concurrently; one migrates, the others wait and then find nothing to do.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { PARTITIONS_READY } from '../database/partitions-ready.ts';
import { tryForLock } from '../database/try-for-lock.ts';
import { type Migration, readMigrations } from './read-migrations.ts';

export type MigrateResult =
  /** Migrations that were applied, and partitions that were created. */
  | { readonly ok: true; readonly applied: readonly string[]; readonly partitions: readonly string[] }
  | { readonly ok: false; readonly code: MigrateRefusal; readonly name: string };

/**
 * `migration_changed`: the file differs from what was applied under its name. `migration_unknown`: the database was
 * migrated by a newer release than this one. `migration_out_of_order`: a file sorts before one that is applied already.
 * `database_before_baseline`: the database was created during development, by migrations that the baseline replaced
 * before the first release. It can't be upgraded.
 */
export type MigrateRefusal =
  | 'migration_changed'
  | 'migration_unknown'
  | 'migration_out_of_order'
  | 'database_before_baseline';

export type MigrateOptions = {
  /** Folder of the migrations. Default: those of this release. */
  readonly directory?: string;
};

type Applied = { readonly name: string; readonly checksum: string };

/** The migrations of this release. */
export const RELEASE = fileURLToPath(new URL('../../migrations/', import.meta.url));
/** Every database before the baseline has this migration, and no later one does. */
const BEFORE_BASELINE = '0002_history';
const LOCK_KEY = 0x5fc_0001;
const LOCK_POLL_MS = 50;
/** With pauses, a minute. */
const LOCK_TRIES = 120;
/** Nobody stops a migration that waits for its turn. */
const NEVER = new AbortController().signal;

/**
 * Applies missing migrations and creates the partitions of the coming months. A refusal changes nothing. `url` is a
 * direct connection (no transaction pooler in between) of a role that may create roles and schemas the first time;
 * `svc_migrator` owns whatever is created.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<MigrateResult> {
  const migrations = await readMigrations(options.directory ?? RELEASE);
  const client = new pg.Client({ connectionString: url, application_name: 'svc-migrate' });
  await client.connect();
  try {
    await takeLock(client);
    await client.query(await readFile(new URL('prepare.sql', import.meta.url), 'utf8'));
    const { rows: applied } = await client.query<Applied>(
      'select name, checksum from svc.svc_migrations order by name',
    );
    const refusal = refusalOf(migrations, applied);
    if (refusal !== undefined) return { ok: false, ...refusal };

    const missing = migrations.slice(applied.length);
    for (const migration of missing) await apply(client, migration);
    const partitions = await ensurePartitions(client);
    await followCluster(client);
    return { ok: true, applied: missing.map(({ name }) => name), partitions };
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}

/** Polls for the lock: a process that waits inside PostgreSQL would block `create index concurrently`. */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK_KEY]);
    if (rows[0]?.taken === true) return;
    await sleep(LOCK_POLL_MS);
  }
}

export function refusalOf(
  migrations: readonly Migration[],
  applied: readonly Applied[],
): { code: MigrateRefusal; name: string } | undefined {
  if (applied.some(({ name }) => name === BEFORE_BASELINE))
    return { code: 'database_before_baseline', name: BEFORE_BASELINE };
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  for (const { name, checksum } of applied) {
    if (!known.has(name)) return { code: 'migration_unknown', name };
    if (known.get(name) !== checksum) return { code: 'migration_changed', name };
  }
  const skipped = migrations.find(({ name }, index) => index < applied.length && name !== applied[index]?.name);
  return skipped === undefined ? undefined : { code: 'migration_out_of_order', name: skipped.name };
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    if (migration.inTransaction) await tryForLock(NEVER, () => applyAtOnce(client, migration), LOCK_TRIES);
    else await write(client, migration);
  } catch (cause) {
    throw new Error(
      `migration ${migration.name} failed: ${cause instanceof Error ? cause.message : 'no reason given'}`,
      {
        cause,
      },
    );
  }
}

/**
 * A migration that waits for a table holds others, and services that read both in another order would wait for it: after
 * `deadlock_timeout`, a second by default, PostgreSQL would fail one of their statements. The migration gives up before that.
 */
async function applyAtOnce(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query("set local lock_timeout = '250ms'");
    await write(client, migration);
    await client.query('commit');
  } catch (problem) {
    // Where the connection is gone the rollback fails too; the first problem is the one to tell.
    await client.query('rollback').catch(() => undefined);
    throw problem;
  }
}

async function write(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query(sql);
  await client.query('insert into svc.svc_migrations (name, checksum, applied_at) values ($1, $2, now())', [
    name,
    checksum,
  ]);
}

/** In another cluster than before, as after `pg_restore`, transaction ids begin anew. */
async function followCluster(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ known: boolean }>(
    "select to_regprocedure('svc.restart_ledger_order(boolean)') is not null as known",
  );
  if (rows[0]?.known === true) await client.query('select svc.restart_ledger_order(false)');
}

async function ensurePartitions(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ known: boolean }>(
    "select to_regprocedure('svc.ensure_partitions(integer, integer, timestamptz)') is not null as known",
  );
  if (rows[0]?.known !== true) return [];
  const made = await client.query<{ name: string }>('select svc.ensure_partitions($1, $2) as name', [
    PARTITIONS_READY.monthsBack,
    PARTITIONS_READY.monthsAhead,
  ]);
  return made.rows.map(({ name }) => name);
}

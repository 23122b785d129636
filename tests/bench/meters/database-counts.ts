// What PostgreSQL has written and been asked, since it started.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** Counted by top-level statement: cheap enough to stay on while CPU is measured. */
export const COUNTED_STATEMENTS = { shared_preload_libraries: 'pg_stat_statements' };

export type WrittenRows = {
  readonly inserted: number;
  readonly updated: number;
  /** Of the updated: within their page, without new index entries. */
  readonly updatedInPage: number;
  readonly deleted: number;
};

export type RowVersions = WrittenRows & {
  /** Partitions under the name of their table. */
  readonly byTable: Readonly<Record<string, WrittenRows>>;
};

export type DatabaseCounts = {
  /** The server forgets its counts when it recovers from a crash. */
  readonly countedSince: string;
  readonly walBytes: number;
  /** By the role that sent them; begin and commit are statements too. */
  readonly statements: Readonly<Record<string, number>>;
};

/** A connection tells what it wrote at the latest this long after it fell idle. */
export const ROWS_TOLD_MS = 10_500;

export async function readDatabase(pool: pg.Pool): Promise<DatabaseCounts> {
  const { rows: roles } = await pool.query<{ role: string; calls: string }>(
    `select r.rolname as role, sum(s.calls)::text as calls from pg_stat_statements s join pg_roles r on r.oid = s.userid
     where s.toplevel and not r.rolsuper group by r.rolname`,
  );
  const { rows } = await pool.query<{ bytes: string; since: string }>(
    "select (pg_current_wal_insert_lsn() - '0/0')::text as bytes, (select stats_reset::text from pg_stat_wal) as since",
  );
  return {
    countedSince: rows[0]?.since ?? '',
    walBytes: Number.parseInt(rows[0]?.bytes ?? '0', 10),
    statements: Object.fromEntries(roles.map(({ role, calls }) => [role.replace(/^bench_/, ''), Number(calls)])),
  };
}

/** Waits until every connection has told what it wrote. */
export async function readRowVersions(pool: pg.Pool): Promise<RowVersions> {
  await sleep(ROWS_TOLD_MS);
  const { rows } = await pool.query<Record<'table' | keyof WrittenRows, string>>(
    `select coalesce(pg_partition_root(relid), relid)::regclass::text as table, sum(n_tup_ins)::text as inserted,
       sum(n_tup_upd)::text as updated, sum(n_tup_hot_upd)::text as "updatedInPage", sum(n_tup_del)::text as deleted
     from pg_stat_user_tables group by 1`,
  );
  const of = (row: (typeof rows)[number]): WrittenRows => ({
    inserted: Number(row.inserted),
    updated: Number(row.updated),
    updatedInPage: Number(row.updatedInPage),
    deleted: Number(row.deleted),
  });
  const byTable = Object.fromEntries(rows.map((row) => [row.table.replace(/^svc\./, ''), of(row)]));
  const all = (name: keyof WrittenRows) => Object.values(byTable).reduce((sum, written) => sum + written[name], 0);
  return {
    inserted: all('inserted'),
    updated: all('updated'),
    updatedInPage: all('updatedInPage'),
    deleted: all('deleted'),
    byTable,
  };
}

// Facts for the doctor: server version, clock, durability settings and partitions.
import type pg from 'pg';

export type DatabaseFacts = {
  readonly version: string;
  /** `180004` for 18.4. */
  readonly versionNumber: number;
  readonly nowMs: number;
  readonly settings: Readonly<Record<DurabilitySetting, string>>;
  /** False before the first migration; the lists below are empty then. */
  readonly migrated: boolean;
  /** Tables without a partition for the month after this one. */
  readonly missingPartitions: readonly string[];
  /** Default partitions that hold rows, because their month was missing. */
  readonly strayRows: readonly string[];
};

export const DURABILITY_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes'] as const;
type DurabilitySetting = (typeof DURABILITY_SETTINGS)[number];

type Head = { readonly version: string; readonly number: number; readonly now: Date; readonly migrated: boolean };

export async function inspectDatabase(pool: pg.Pool): Promise<DatabaseFacts> {
  const { rows } = await pool.query<Head>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
       clock_timestamp() as now, to_regclass('svc.partitioned_tables') is not null as migrated`,
  );
  const [head] = rows;
  if (head === undefined) throw new Error('a select without a table returned nothing');
  const settings = await pool.query<{ name: DurabilitySetting; setting: string }>(
    'select name, setting from pg_settings where name = any ($1)',
    [DURABILITY_SETTINGS],
  );
  return {
    version: head.version,
    versionNumber: head.number,
    nowMs: head.now.getTime(),
    settings: Object.fromEntries(
      settings.rows.map(({ name, setting }) => [name, setting]),
    ) as DatabaseFacts['settings'],
    migrated: head.migrated,
    missingPartitions: head.migrated ? await missingPartitions(pool) : [],
    strayRows: head.migrated ? await strayRows(pool) : [],
  };
}

async function missingPartitions(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select table_name || to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', '_YYYY_MM') as name
     from svc.partitioned_tables order by table_name`,
  );
  const present = await pool.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'svc'::regnamespace and relispartition",
  );
  const known = new Set(present.rows.map(({ name }) => name));
  return rows.map(({ name }) => name).filter((name) => !known.has(name));
}

async function strayRows(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ table_name: string }>(
    'select table_name from svc.partitioned_tables order by table_name',
  );
  const found: string[] = [];
  for (const { table_name } of rows) {
    const partition = `${table_name}_default`;
    const { rows: stray } = await pool.query<{ any: boolean }>(
      `select exists (select from svc.${pgIdentifier(partition)}) as any`,
    );
    if (stray[0]?.any === true) found.push(partition);
  }
  return found;
}

function pgIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

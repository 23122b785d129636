// Facts for the doctor: server version, clock and durability settings.
import type pg from 'pg';

export type DatabaseFacts = {
  readonly version: string;
  /** `180004` for 18.4. */
  readonly versionNumber: number;
  readonly nowMs: number;
  readonly settings: Readonly<Record<DurabilitySetting, string>>;
  /** False before the first migration. */
  readonly migrated: boolean;
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
  };
}

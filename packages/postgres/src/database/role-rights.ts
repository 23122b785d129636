// What the groups of services may do, from the catalogue of a database, and what they may do by the migrations of this release.
import { readFile } from 'node:fs/promises';
import type pg from 'pg';

export type Right = {
  readonly object: string;
  readonly role: string;
  readonly right: string;
  readonly columns: string | null;
};
/** Groups of services; `svc_migrator` owns everything. */
export const GROUPS = `
  select rolname as role from pg_roles where rolname like 'svc\\_%' and rolname <> 'svc_migrator' and not rolcanlogin`;
/** Views too: they are granted like tables. */
export const TABLES = `
  select oid, relname as object from pg_class
  where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition`;

export const TABLE_RIGHTS = `
  select object, role, lower(wish) as right, case
      when not has_table_privilege(role, oid, wish) then string_agg(attname, ', ' order by attnum)
    end as columns
  from (${TABLES}) tables
  cross join (${GROUPS}) roles
  cross join unnest(array['SELECT', 'INSERT', 'UPDATE']) with ordinality as wished (wish, position)
  join pg_attribute on attrelid = oid and attnum > 0 and not attisdropped and has_column_privilege(role, oid, attnum, wish)
  group by object, role, oid, wish, position
  union all
  select object, role, lower(wish), null
  from (${TABLES}) tables
  cross join (${GROUPS}) roles
  cross join unnest(array['DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) as wished (wish)
  where has_table_privilege(role, oid, wish)`;
export const OTHER_RIGHTS = `
  select proname || '()' as object, role, 'execute' as right, null as columns
  from pg_proc cross join (${GROUPS}) roles
  where pronamespace = 'svc'::regnamespace and has_function_privilege(role, pg_proc.oid, 'execute')
  union all
  select relname, role, 'next value', null
  from pg_class cross join (${GROUPS}) roles
  where relnamespace = 'svc'::regnamespace and relkind = 'S' and has_sequence_privilege(role, pg_class.oid, 'usage')`;

/** One line for each right of each group, in order. */
export async function readRoleRights(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<Right>(`${TABLE_RIGHTS} union all ${OTHER_RIGHTS}`);
  return rows
    .map(({ role, right, object, columns }) =>
      [role, right, object, ...(columns === null ? [] : [`(${columns})`])].join(' '),
    )
    .toSorted();
}

/** `readRoleRights` of a database with the migrations of this release. A test of the grants writes the file. */
export async function releasedRoleRights(): Promise<readonly string[]> {
  const text = await readFile(new URL('../../migrations/rights', import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

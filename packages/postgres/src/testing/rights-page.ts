// docs/reference/rights.md, made from the catalogue of a migrated database.
import type pg from 'pg';

const HEAD = `# What each service may do in the database

Made from the catalogue of a migrated database by \`packages/postgres/src/schema/grants.test.ts\`, which is red when this page
differs (\`npm test -- --project postgres grants -u\` writes it anew). The roles can't log in: each service logs in with a
role that is a member of its group. Names in parentheses are the columns to which a right is limited. No service owns a table,
and none may truncate, alter or reference one.

Why it is so: [least rights](../decisions/0036-least-rights.md).
`;

type Right = {
  readonly object: string;
  readonly role: string;
  readonly right: string;
  readonly columns: string | null;
};
type Policy = { readonly table: string; readonly role: string; readonly right: string; readonly rows: string };

/** Groups of services; `svc_migrator` owns everything. */
const ROLES = `
  select rolname as role from pg_roles where rolname like 'svc\\_%' and rolname <> 'svc_migrator' and not rolcanlogin`;
const TABLES = `
  select oid, relname as object from pg_class
  where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p') and not relispartition`;

const TABLE_RIGHTS = `
  select object, role, lower(wish) as right, case
      when not has_table_privilege(role, oid, wish) then string_agg(attname, ', ' order by attnum)
    end as columns
  from (${TABLES}) tables
  cross join (${ROLES}) roles
  cross join unnest(array['SELECT', 'INSERT', 'UPDATE']) with ordinality as wished (wish, position)
  join pg_attribute on attrelid = oid and attnum > 0 and not attisdropped and has_column_privilege(role, oid, attnum, wish)
  group by object, role, oid, wish, position
  union all
  select object, role, lower(wish), null
  from (${TABLES}) tables
  cross join (${ROLES}) roles
  cross join unnest(array['DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) as wished (wish)
  where has_table_privilege(role, oid, wish)`;
const OTHER_RIGHTS = `
  select proname || '()' as object, role, 'execute' as right, null as columns
  from pg_proc cross join (${ROLES}) roles
  where pronamespace = 'svc'::regnamespace and has_function_privilege(role, pg_proc.oid, 'execute')
  union all
  select relname, role, 'next value', null
  from pg_class cross join (${ROLES}) roles
  where relnamespace = 'svc'::regnamespace and relkind = 'S' and has_sequence_privilege(role, pg_class.oid, 'usage')`;
const POLICIES = `
  select tablename as table, role, lower(cmd) as right, coalesce(with_check, qual) as rows
  from pg_policies cross join lateral unnest(roles) as named (role)
  where schemaname = 'svc' and permissive = 'RESTRICTIVE' order by tablename, role, cmd, policyname`;

const ORDER = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger', 'execute', 'next value'];

export async function rightsPage(pool: pg.Pool): Promise<string> {
  const { rows: roles } = await pool.query<{ role: string }>(`${ROLES} order by role`);
  const names = roles.map(({ role }) => role);
  const { rows: tables } = await pool.query<{ object: string }>(`${TABLES} order by relname`);
  const { rows: onTables } = await pool.query<Right>(TABLE_RIGHTS);
  const { rows: onOthers } = await pool.query<Right>(OTHER_RIGHTS);
  const { rows: policies } = await pool.query<Policy>(POLICIES);
  const others = [...new Set(onOthers.map(({ object }) => object))].toSorted();
  return [
    HEAD,
    '## Tables\n',
    matrix(
      'Table',
      names,
      tables.map(({ object }) => object),
      onTables,
    ),
    '\n## Functions and sequences\n',
    matrix('Name', names, others, onOthers),
    '\n## Which rows\n',
    'A row that a member of the role writes must also fit:\n',
    '| Table | Role | Right | Rows |\n|---|---|---|---|',
    ...policies.map(
      ({ table, role, right, rows }) => `| \`${table}\` | \`${role}\` | ${right} | \`${oneLine(rows)}\` |`,
    ),
    '',
  ].join('\n');
}

function matrix(title: string, roles: readonly string[], objects: readonly string[], rights: readonly Right[]): string {
  const cell = (object: string, role: string) =>
    rights
      .filter((right) => right.object === object && right.role === role)
      .toSorted((one, other) => ORDER.indexOf(one.right) - ORDER.indexOf(other.right))
      .map(({ right, columns }) => (columns === null ? right : `${right} (${columns})`))
      .join(', ');
  return [
    `| ${[title, ...roles.map((role) => `\`${role}\``)].join(' | ')} |`,
    `|${'---|'.repeat(roles.length + 1)}`,
    ...objects.map(
      (object) => `| ${[`\`${object}\``, ...roles.map((role) => cell(object, role) || '–')].join(' | ')} |`,
    ),
  ].join('\n');
}

const oneLine = (sql: string) => sql.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');

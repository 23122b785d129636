// docs/reference/rights.md, made from the catalogue of a migrated database.
import type pg from 'pg';
import { GROUPS, OTHER_RIGHTS, type Right, TABLE_RIGHTS, TABLES } from '../database/role-rights.ts';

const HEAD = `# What each service may do in the database

Made from the catalogue of a migrated database by \`packages/postgres/src/schema/grants.test.ts\`, which is red when this page
differs (\`npm test -- --project postgres grants -u\` writes it anew). The roles can't log in: each service logs in with a
role that is a member of its group. Names in parentheses are the columns to which a right is limited. No service owns a table,
and none may truncate, alter or reference one.

Why it is so: [least rights](../decisions/0036-least-rights.md).
`;

type Policy = { readonly table: string; readonly role: string; readonly right: string; readonly rows: string };

const POLICIES = `
  select tablename as table, role, lower(cmd) as right, coalesce(with_check, qual) as rows
  from pg_policies cross join lateral unnest(roles) as named (role)
  where schemaname = 'svc' and permissive = 'RESTRICTIVE' order by tablename, role, cmd, policyname`;

const ORDER = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger', 'execute', 'next value'];

export async function rightsPage(pool: pg.Pool): Promise<string> {
  const { rows: roles } = await pool.query<{ role: string }>(`${GROUPS} order by role`);
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

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';

const { pool } = await createTestDatabase();
const page = await readFile(new URL('../../../../docs/operate/retention.md', import.meta.url), 'utf8');

test('the retention page names every table cut by time, with the months that the database keeps', async () => {
  const { rows } = await pool.query<{ name: string; months: number | null }>(
    'select table_name as name, months_kept as months from svc.partitioned_tables order by name',
  );
  const written = [...page.matchAll(/^\| `(\w+)`\s*\| (\d+)\s*\|/gm)].map(([, name, months]) => `${name} ${months}`);
  expect(written.toSorted()).toEqual(rows.map(({ name, months }) => `${name} ${months}`));
});

test('the retention page names every other table of the tenants', async () => {
  const { rows } = await pool.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in ('svc_migrations', 'partitioned_tables', 'installation', 'ledger_order')`);
  expect(rows.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
});

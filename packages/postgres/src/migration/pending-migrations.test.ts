import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { createPendingMigrations } from './pending-migrations.ts';

test('a migrated database lacks nothing, also when a newer release has been there', async () => {
  const { pool } = await createTestDatabase();
  const pending = await createPendingMigrations({ pool });
  await pool.query("insert into svc.svc_migrations values ('9999_later', '', now())");
  expect(await pending()).toEqual([]);
});

test('what is missing is named', async () => {
  const { pool } = await createTestDatabase();
  const pending = await createPendingMigrations({ pool });
  await pool.query("delete from svc.svc_migrations where name like '0010%'");
  expect(await pending()).toEqual(['0010_grants']);
});

test('an empty database lacks everything', async () => {
  const { pool } = await createTestDatabase({ from: 'empty' });
  const pending = await createPendingMigrations({ pool });
  expect((await pending()).length).toBeGreaterThanOrEqual(9);
});

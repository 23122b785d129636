import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { inspectDatabase } from './inspect-database.ts';

test('a migrated database has its coming months and no stray rows', async () => {
  const { pool } = await createTestDatabase();
  const facts = await inspectDatabase(pool);
  expect(facts).toMatchObject({ migrated: true, missingPartitions: [], strayRows: [] });
  expect(facts.versionNumber).toBeGreaterThanOrEqual(180_000);
  expect(Math.abs(facts.nowMs - Date.now())).toBeLessThan(5_000);
  // The test server is not durable.
  expect(facts.settings).toEqual({ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
});

test('an empty database is seen as such', async () => {
  const { pool } = await createTestDatabase({ from: 'empty' });
  expect(await inspectDatabase(pool)).toMatchObject({ migrated: false, missingPartitions: [], strayRows: [] });
});

test('a missing month and rows without a month are named', async () => {
  const { pool } = await createTestDatabase();
  const { rows } = await pool.query(
    "select 'events' || to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', '_YYYY_MM') as name",
  );
  await pool.query(`drop table svc.${rows[0].name}`);
  await insertRow(pool, 'events', { id: 'evt_zzzzzzzzzzzzzzzzzzzzzzzzzz' });
  expect(await inspectDatabase(pool)).toMatchObject({
    missingPartitions: [rows[0].name],
    strayRows: ['events_default'],
  });
});

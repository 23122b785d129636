import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { inspectDatabase } from './inspect-database.ts';

test('version, clock and durability settings of a migrated database are read', async () => {
  const { pool } = await createTestDatabase();
  const facts = await inspectDatabase(pool);
  expect(facts).toMatchObject({ migrated: true });
  expect(facts.versionNumber).toBeGreaterThanOrEqual(180_000);
  expect(Math.abs(facts.nowMs - Date.now())).toBeLessThan(5_000);
  // The test server is not durable.
  expect(facts.settings).toEqual({ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
});

test('an empty database is seen as such', async () => {
  const { pool } = await createTestDatabase({ from: 'empty' });
  expect(await inspectDatabase(pool)).toMatchObject({ migrated: false });
});

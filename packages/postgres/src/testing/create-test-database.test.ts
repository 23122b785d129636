import { expect, test } from 'vitest';
import { createTestDatabase } from './create-test-database.ts';
import { insertRow } from './sample-rows.ts';

const { pool: whole } = await createTestDatabase();
let dropped = '';

test('a database is nobody else’s: neither rows nor codes are shared', async () => {
  const { pool, url } = await createTestDatabase();
  dropped = new URL(url).pathname.slice(1);
  await insertRow(pool, 'accounts');
  expect((await whole.query('select id from svc.accounts')).rows).toEqual([]);
  const epoch = 'select intent_code_prefix from svc.installation';
  expect((await pool.query(epoch)).rows).not.toEqual((await whole.query(epoch)).rows);
});

test('a database is gone when the test that asked for it is done', async () => {
  const { rows } = await whole.query('select from pg_database where datname = $1', [dropped]);
  expect(rows).toEqual([]);
});

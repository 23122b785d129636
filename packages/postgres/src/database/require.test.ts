import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { isUnmetRequirement, requireText } from './require.ts';

const problemOf = (query: Promise<unknown>) =>
  query.then(
    () => undefined,
    (problem: unknown) => problem,
  );

test('a statement whose requirement is not met is undone whole, and says why', async () => {
  const { pool } = await createTestDatabase();
  await pool.query('create table kept (value integer)');
  const write = (condition: string) =>
    pool.query(`
      with written as (insert into kept values (1) returning 1)
      select ${requireText(condition, "the day's limit")} as met from written`);
  for (const unmet of ['count(*) = 2', 'null']) {
    const problem = await problemOf(write(unmet));
    expect(isUnmetRequirement(problem)).toBe(true);
    expect(problem).toMatchObject({ message: "the day's limit" });
  }
  expect((await pool.query('select from kept')).rowCount).toBe(0);
  expect((await write('count(*) = 1')).rows).toEqual([{ met: true }]);
});

test('another error is no unmet requirement', async () => {
  const { pool } = await createTestDatabase();
  expect(isUnmetRequirement(await problemOf(pool.query('select 1 / 0')))).toBe(false);
  expect(isUnmetRequirement(new Error('SV001'))).toBe(false);
});

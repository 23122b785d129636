import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { migrate } from './migrate.ts';
import { planMigrations } from './plan-migrations.ts';

test('a plan names what a run applies, and changes nothing', async () => {
  const { url, pool } = await createTestDatabase({ from: 'empty' });
  const plan = await planMigrations(url);
  expect((await pool.query("select to_regnamespace('svc') as svc")).rows).toEqual([{ svc: null }]);
  const run = await migrate(url);
  expect(run.ok && run.applied).toEqual(plan.ok && plan.missing);
  expect(run.ok && run.partitions).toContainEqual(expect.stringMatching(/^payments_\d{4}_\d{2}$/));
  expect(await planMigrations(url)).toEqual({ ok: true, missing: [] });
});

test('a plan refuses what a run refuses', async () => {
  const { url, pool } = await createTestDatabase();
  await pool.query("update svc.svc_migrations set checksum = 'another' where name = '0003_accounts'");
  expect(await planMigrations(url)).toEqual({ ok: false, code: 'migration_changed', name: '0003_accounts' });
});

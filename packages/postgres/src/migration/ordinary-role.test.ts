import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../server/start-postgres.ts';
import { migrate } from './migrate.ts';

test('a role that may create roles and schemas migrates, a second one that joins svc_migrator goes on', async () => {
  const server = await startPostgres({ durable: false });
  onTestFinished(server.stop);
  const as = (user: string) => {
    const url = new URL(server.url);
    url.username = user;
    url.password = 'a password of the test';
    return url.href;
  };
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  try {
    await admin.query(`
      create role first_operator login createrole password 'a password of the test';
      create role second_operator login password 'a password of the test';
      grant create on database postgres to first_operator`);
    const first = await migrate(as('first_operator'));
    expect(first.ok && first.applied.length).toBeGreaterThan(0);
    await expect(migrate(as('second_operator'))).rejects.toThrow(/permission denied/);
    await admin.query('grant svc_migrator to second_operator');
    expect(await migrate(as('second_operator'))).toEqual({ ok: true, applied: [], partitions: [] });
  } finally {
    await admin.end();
  }
});

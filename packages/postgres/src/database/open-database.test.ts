import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { inTransaction } from './in-transaction.ts';
import { type DatabaseOptions, openDatabase } from './open-database.ts';

const { pool: admin, url } = await createTestDatabase();

async function withDatabase(
  options: Partial<DatabaseOptions>,
  work: (database: ReturnType<typeof openDatabase>) => Promise<void>,
): Promise<void> {
  const database = openDatabase(url, {
    applicationName: 'database-test',
    maxConnections: 2,
    statementTimeoutMs: 5_000,
    onConnectionLost: () => {},
    ...options,
  });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

const pidOf = async (client: { query: (text: string) => Promise<{ rows: { pid: number }[] }> }) =>
  (await client.query('select pg_backend_pid() as pid')).rows[0]?.pid;
const isGone = async (pid: number | undefined) =>
  (await admin.query('select from pg_stat_activity where pid = $1', [pid])).rows.length === 0;

test('a connection that breaks between two statements fails its transaction, and not the process', async () => {
  await withDatabase({}, async ({ pool, ping }) => {
    const work = inTransaction(pool, async (client) => {
      // The pool does not listen while the client is checked out,
      // and an `error` event without a listener ends the process.
      expect(client.listenerCount('error')).toBeGreaterThan(0);
      const pid = await pidOf(client);
      await admin.query('select pg_terminate_backend($1)', [pid]);
      await expect.poll(() => isGone(pid)).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await client.query('select 1');
    });
    await expect(work).rejects.toThrow();
    await ping();
  });
});

test('what is told of an idle connection that broke holds nothing of the connection', async () => {
  const problems: Error[] = [];
  await withDatabase({ onConnectionLost: (problem) => problems.push(problem) }, async ({ pool }) => {
    const pid = await pidOf(pool);
    await admin.query('select pg_terminate_backend($1)', [pid]);
    await expect.poll(() => problems.length).toBe(1);
    expect(problems[0]).not.toHaveProperty('client');
  });
});

test('a transaction that falls silent loses its locks', async () => {
  await admin.query('create table silence (id integer primary key); insert into silence values (1)');
  await withDatabase({ transactionPauseMs: 200 }, async ({ pool }) => {
    const silent = await pool.connect();
    await silent.query('begin');
    await silent.query('update silence set id = 2');
    await admin.query("set statement_timeout = '5s'; update silence set id = 3 where id = 1");
    silent.release(true);
  });
  expect((await admin.query('select id from silence')).rows).toEqual([{ id: 3 }]);
});

test('a connection compiles no statement, also where the database says that it should', async () => {
  await admin.query(`alter database ${new URL(url).pathname.slice(1)} set jit = on`);
  await withDatabase({}, async ({ pool }) => {
    const { rows } = await pool.query("select setting, source from pg_settings where name = 'jit'");
    expect(rows).toEqual([{ setting: 'off', source: 'client' }]);
  });
});

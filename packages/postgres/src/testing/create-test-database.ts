import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { afterwards } from './afterwards.ts';
import { databaseUrl, TEMPLATE } from './test-server.ts';

export type TestDatabase = {
  /** Superuser URL of a database that no other test uses. */
  readonly url: string;
  readonly pool: pg.Pool;
};

export type TestDatabaseOptions = {
  /** `migrated`: the schema of this release without rows. `empty`: no schema. Default `migrated`. */
  readonly from?: 'migrated' | 'empty';
};

/** A copy of a test's database as it is now, as a backup would restore it. Breaks the source's connections. */
export async function copyTestDatabase(source: TestDatabase): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  const from = new URL(source.url).pathname.slice(1);
  await asAdmin(serverUrl, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'`);
  return makeDatabase(serverUrl, from);
}

/** Creates a database that is dropped after the current test, or after the file if it is called outside of a test. */
export async function createTestDatabase({ from = 'migrated' }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  const made = await makeDatabase(serverUrl, from === 'migrated' ? TEMPLATE : 'template0');
  // A copy must not hand out the same intent codes as its template.
  if (from === 'migrated') await made.pool.query('select svc.skip_used_intent_codes()');
  return made;
}

async function makeDatabase(serverUrl: string, template: string): Promise<TestDatabase> {
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  await asAdmin(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = databaseUrl(serverUrl, name);
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  // `end` does not wait until the last socket is closed, and dropping the database breaks it: that error is expected. A client
  // that the pool has let go tells it alone.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  afterwards(async () => {
    await pool.end();
    await asAdmin(serverUrl, `drop database ${name} with (force)`);
  });
  return { url, pool };
}

async function asAdmin(serverUrl: string, statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}

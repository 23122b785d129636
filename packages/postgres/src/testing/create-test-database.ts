import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, inject, onTestFinished } from 'vitest';
import { databaseUrl, TEMPLATE } from './test-server.ts';

export type TestDatabase = {
  /** Superuser of a database that nobody else uses. */
  readonly url: string;
  readonly pool: pg.Pool;
};

export type TestDatabaseOptions = {
  /** `migrated`: the schema of this release, no rows. `empty`: not even the schema. Default `migrated`. */
  readonly from?: 'migrated' | 'empty';
};

/** A database of one's own, dropped when the test that asked for it is done; at the top of a file, when the file is. */
export async function createTestDatabase({ from = 'migrated' }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  const template = from === 'migrated' ? TEMPLATE : 'template0';
  await asAdmin(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = databaseUrl(serverUrl, name);
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  // `end` does not wait for the last socket to close, and dropping the database cuts it: that is no news.
  pool.on('error', () => {});
  // A copy is a second life of its template, and must not hand out the same codes.
  if (from === 'migrated') await pool.query('select svc.begin_intent_code_epoch()');
  afterwards(async () => {
    await pool.end();
    await asAdmin(serverUrl, `drop database ${name} with (force)`);
  });
  return { url, pool };
}

function afterwards(cleanUp: () => Promise<void>): void {
  try {
    onTestFinished(cleanUp);
  } catch {
    // Outside of a test.
    afterAll(cleanUp);
  }
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

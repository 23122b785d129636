// One server and one migrated database to copy: a test file pays for the copy alone.
import pg from 'pg';
import { migrate } from '../migrate/migrate.ts';
import { type PostgresServer, startPostgres } from '../server/start-postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Superuser of the server that the run's global setup started. */
    postgresUrl: string;
  }
}

export const TEMPLATE = 'svc_template';

/** Not durable, because nobody misses a test's data; everything else is as in production. */
export async function startTestServer(): Promise<PostgresServer> {
  const server = await startPostgres({
    durable: false,
    settings: { max_connections: '200', shared_buffers: '128MB', autovacuum: 'off', max_wal_size: '1GB' },
  });
  try {
    await makeTemplate(server.url);
    return server;
  } catch (problem) {
    await server.stop();
    throw problem;
  }
}

async function makeTemplate(serverUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  try {
    await admin.query(`create database ${TEMPLATE}`);
    const result = await migrate(databaseUrl(serverUrl, TEMPLATE));
    if (!result.ok) throw new Error(`a fresh database refuses ${result.name}: ${result.code}`);
    await admin.query(`alter database ${TEMPLATE} is_template true allow_connections false`);
  } finally {
    await admin.end();
  }
}

/** The same server and user, another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

// Starts one server with one migrated template database, so that a test file only pays for a copy.
import pg from 'pg';
import { migrate } from '../migration/migrate.ts';
import { type PostgresServer, startPostgres } from '../server/start-postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Superuser of the server that the run's global setup started. */
    postgresUrl: string;
  }
}

export const TEMPLATE = 'svc_template';

/** Not durable, because test data may be lost. */
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

/** URL of another database with the same server and user. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

// A durable PostgreSQL that restarts at the same address after a shutdown or a crash.
import { rmSync } from 'node:fs';
import { migrate } from '@svc-pay/postgres';
import { freePort, type PostgresServer, startPostgres } from '@svc-pay/postgres/server';
import pg from 'pg';
import { backUp, copy } from './back-up.ts';
import { createPgbackrest } from './pgbackrest.ts';

export type MortalPostgres = {
  readonly pid: () => number;
  readonly url: string;
  /** Connections break with the server; the pool replaces them. */
  readonly pool: pg.Pool;
  /** `fast` closes connections and shuts down; `immediate` is a crash, with crash recovery at the next start. */
  readonly restart: (how: 'fast' | 'immediate') => Promise<void>;
  /** Backs up the running server into the folder. */
  readonly backUp: (folder: string) => Promise<void>;
  /** Crashes the server, deletes its data, and restarts it from the backup. */
  readonly loseAndRestore: (folder: string) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** `pgbackrest` is the program that backs up and restores; absent: files are copied. */
export type MortalOptions = { readonly pgbackrest?: string | undefined };

export async function startMortalPostgres(
  dataDirectory: string,
  { pgbackrest: binary }: MortalOptions = {},
): Promise<MortalPostgres> {
  const port = await freePort();
  const folder = `${dataDirectory}-backups`;
  const tool = binary === undefined ? undefined : createPgbackrest({ binary, folder, dataDirectory, port });
  const settings = { max_connections: '60', shared_buffers: '128MB', max_wal_size: '1GB', ...tool?.settings };
  const start = () => startPostgres({ dataDirectory, port, settings });
  let server: PostgresServer = await start();
  const migrated = await migrate(server.url);
  if (!migrated.ok) throw new Error(`a fresh database refuses ${migrated.name}`);
  await tool?.begin(server.url);
  const pool = new pg.Pool({ connectionString: server.url, max: 6 });
  pool.on('error', () => {});
  const { url } = server;
  const crash = async () => {
    process.kill(server.pid, 'SIGQUIT');
    await server.ended;
  };
  return {
    pid: () => server.pid,
    url,
    pool,
    restart: async (how) => {
      await (how === 'fast' ? server.stop() : crash());
      server = await start();
    },
    backUp: (folder) => (tool === undefined ? backUp(url, dataDirectory, folder) : tool.backUp(url)),
    loseAndRestore: async (folder) => {
      await tool?.awaitArchive(url);
      await crash();
      rmSync(dataDirectory, { recursive: true, force: true });
      await (tool === undefined ? copy(folder, dataDirectory) : tool.restore());
      server = await start();
    },
    stop: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

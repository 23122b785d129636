// What every bench world starts first: PostgreSQL with the schema, Restate, and the processes that are measured.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startRestate } from '@svc-pay/engine/server';
import { migrate } from '@svc-pay/postgres';
import { startPostgres } from '@svc-pay/postgres/server';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import pg from 'pg';
import { durableSettings } from './durable-settings.ts';
import { type Listening, startProcess } from './intents/start-process.ts';

export type BenchProcesses = {
  readonly onStop: (stop: () => Promise<void> | void) => void;
  /** Starts a process that ends with the bench, also when the bench is killed. */
  readonly startOwn: (...given: Parameters<typeof startProcess>) => Promise<Listening>;
  /** Ends everything, last started first. */
  readonly stop: () => Promise<void>;
};

export function createBenchProcesses(): BenchProcesses {
  const stops: (() => Promise<void> | void)[] = [];
  return {
    onStop: (stop) => {
      stops.push(stop);
    },
    startOwn: async (...given) => {
      const listening = await startProcess(...given);
      const dismiss = killOnParentExit(listening.child.pid ?? 0);
      stops.push(async () => {
        await listening.stop();
        dismiss();
      });
      return listening;
    },
    stop: async () => {
      for (let next = stops.pop(); next !== undefined; next = stops.pop()) await next();
    },
  };
}

export async function startBenchServers(
  { onStop }: BenchProcesses,
  postgresSettings: Readonly<Record<string, string>> = {},
) {
  const postgres = await startPostgres({
    settings: { max_connections: '80', shared_buffers: '256MB', ...postgresSettings },
  });
  onStop(postgres.stop);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 6 });
  // The server ends before its idle connections do: the pool replaces a broken connection when it is needed.
  pool.on('error', () => {});
  onStop(() => pool.end());
  const migrated = await migrate(postgres.url);
  if (!migrated.ok) throw new Error(`a fresh database refuses migration ${migrated.name}`);
  const durable = await durableSettings(pool);
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'svc-bench-'));
  onStop(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const engine = await startRestate({ dataDirectory, guard: killOnParentExit });
  onStop(() => engine.stop('SIGKILL'));
  return { postgres, pool, durable, engine };
}

// The real service, its own process, beside a durable Postgres and Restate, and a process that plays the merchants.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, startRestate } from '@svc-pay/engine/server';
import { migrate } from '@svc-pay/postgres';
import { startPostgres } from '@svc-pay/postgres/server';
import pg from 'pg';
import { durableSettings } from '../durable-settings.ts';
import { cpuSeconds } from '../intents/cpu-time.ts';
import { type Listening, startProcess } from '../intents/start-process.ts';
import { memberUrl } from '../member-url.ts';
import { type Merchants, openMerchants } from './merchants.ts';

type Arrival = readonly [eventId: string, atMs: number];

/** So far: CPU of the webhooks process and of PostgreSQL, and bytes of the write-ahead log. */
export type Spent = { readonly webhooksMs: number; readonly postgresMs: number; readonly walBytes: number };

export type BenchWorld = {
  readonly merchants: Merchants;
  readonly receiverPort: number;
  readonly settings: Record<string, string>;
  /** All since the last time it was asked. */
  readonly arrivals: () => Promise<readonly Arrival[]>;
  readonly arrivalCount: () => Promise<number>;
  readonly spent: () => Promise<Spent>;
  readonly stop: () => Promise<void>;
};

/** Wall clock with fractions. The merchants' process reads the same one. */
export const nowMs = () => performance.timeOrigin + performance.now();

export async function startBenchWorld(profileFolder?: string): Promise<BenchWorld> {
  const postgres = await startPostgres({ settings: { max_connections: '60', shared_buffers: '256MB' } });
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'svc-bench-'));
  const engine = await startRestate({ dataDirectory });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  const started: Listening[] = [];
  const stop = async () => {
    for (const listening of started) await listening.stop();
    await pool.end();
    await engine.stop('SIGKILL');
    await postgres.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  try {
    const migrated = await migrate(postgres.url);
    if (!migrated.ok) throw new Error(`a fresh database refuses ${migrated.name}`);
    const settings = await durableSettings(pool);
    const masterKey = randomBytes(32);
    const receiver = await startProcess('tests/bench/webhooks/receiver.ts', [], {});
    started.push(receiver);
    const settingsOfWebhooks = {
      SVC_DATABASE_URL: await memberUrl(pool, postgres.url, 'webhooks'),
      SVC_MASTER_KEYS: `1:${masterKey.toString('base64')}`,
      SVC_WEBHOOKS_MODES: 'test',
      SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
      SVC_WEBHOOKS_PORT: '0',
      SVC_WEBHOOKS_ENGINE_PORT: String((await freePorts()).node),
      SVC_ENGINE_ADMIN_URL: engine.adminUrl,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
    };
    const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
    const webhooks = await startProcess('services/webhooks/src/main.ts', [], settingsOfWebhooks, profiling);
    started.push(webhooks);
    const merchants = await openMerchants(pool, masterKey, () => Math.floor(nowMs()));
    const ask = async (what: string) => (await fetch(`http://127.0.0.1:${receiver.port}/${what}`)).text();
    return {
      merchants,
      receiverPort: receiver.port,
      settings,
      arrivals: async () => JSON.parse(await ask('arrivals')) as Arrival[],
      arrivalCount: async () => Number.parseInt(await ask('count'), 10),
      spent: async () => {
        const { rows } = await pool.query<{ bytes: string }>(
          `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`,
        );
        return {
          webhooksMs: cpuSeconds([webhooks.child.pid ?? 0]) * 1_000,
          postgresMs: cpuSeconds([postgres.pid]) * 1_000,
          walBytes: Number(rows[0]?.bytes),
        };
      },
      stop,
    };
  } catch (problem) {
    await stop();
    throw problem;
  }
}

// Runs the service as in production: a separate process with its own database rights, beside a real engine. Tests can
// kill and restart it, as a supervisor would.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, startRestate } from '@svc-pay/engine/server';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import type pg from 'pg';
import { afterwards } from './receiver.ts';
import { MASTER_KEYS, openShop, type Shop } from './shop.ts';

export type ProcessWorld = {
  readonly pool: pg.Pool;
  readonly shop: Shop;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly restartEngineWithoutData: () => Promise<void>;
  /** Expires the leases, as if a minute had passed. */
  readonly endLeases: () => Promise<void>;
  readonly url: () => string;
};

export async function startProcessWorld(environment: Readonly<Record<string, string>> = {}): Promise<ProcessWorld> {
  const { pool, url } = await createTestDatabase();
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'svc-restate-'));
  const ports = await freePorts();
  let engine = await startRestate({ dataDirectory, ports });
  const role = `svc_webhooks_${randomBytes(4).toString('hex')}`;
  await pool.query(`create role ${role} login password 'x' in role svc_webhooks`);
  const databaseUrl = Object.assign(new URL(url), { username: role, password: 'x' }).href;
  let child: ChildProcess | undefined;
  let serviceUrl = '';
  const enginePort = String((await freePorts()).node);

  const start = async () => {
    const ready = Promise.withResolvers<void>();
    let output = '';
    const next = spawn(process.execPath, [path.resolve(import.meta.dirname, '../main.ts')], {
      env: {
        // Compile cache shared by the processes: halves the start time.
        NODE_COMPILE_CACHE: path.resolve('.cache/compile'),
        SVC_DATABASE_URL: databaseUrl,
        SVC_MASTER_KEYS: `1:${Buffer.from(MASTER_KEYS[0].bytes).toString('base64')}`,
        SVC_WEBHOOKS_MODES: 'test',
        SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
        SVC_WEBHOOKS_PORT: '0',
        SVC_WEBHOOKS_ENGINE_PORT: enginePort,
        SVC_ENGINE_ADMIN_URL: engine.adminUrl,
        SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const line = output.split('\n').find((text) => text.includes('"event":"service_listening"'));
      if (line !== undefined) serviceUrl = `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`;
      if (output.includes('"event":"engine_registered"')) ready.resolve();
    };
    next.stdout.on('data', read);
    next.stderr.on('data', read);
    next.once('exit', () => ready.reject(new Error(`webhooks ended: ${output}`)));
    child = next;
    await ready.promise;
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  afterwards(async () => {
    await kill();
    await engine.stop('SIGKILL');
    rmSync(dataDirectory, { recursive: true, force: true });
    await pool.query(`drop role ${role}`);
  });
  await start();
  return {
    pool,
    shop: await openShop(pool, Date.now()),
    kill,
    start,
    restartEngineWithoutData: async () => {
      await engine.stop('SIGKILL');
      rmSync(dataDirectory, { recursive: true, force: true });
      engine = await startRestate({ dataDirectory, ports });
    },
    endLeases: async () => {
      await pool.query(
        `update svc.deliveries set next_at = now(), lease_until = now() where status = 'pending' and lease_until is not null`,
      );
    },
    url: () => serviceUrl,
  };
}

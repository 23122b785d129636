// Everything at once, each as its own process: PostgreSQL, Restate, Anvil, the API and settlement.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, type RestateServer, startRestate } from '@svc-pay/engine/server';
import { type LocalChain, startChain } from '@svc-pay/evm/testing';
import { guardAgainstOutliving } from '@svc-pay/operator/outlive-guard';
import { createTestDatabase, type TestDatabase } from '@svc-pay/postgres/testing';
import { afterAll, onTestFinished } from 'vitest';
import { openShop, PEPPER, type Shop } from './open-shop.ts';
import { mainOf, type ServiceProcess, startService } from './service-process.ts';

export type WorldOptions = {
  readonly blockTimeSeconds?: number;
  readonly alwaysReplay?: boolean;
  readonly relayers?: number;
  /** Instead of the settlement that ships. */
  readonly settlementProgram?: readonly string[];
  /** A second settlement with the same keys on an engine of its own: nobody but the database keeps the two apart. */
  readonly rival?: boolean;
  readonly settlement?: Readonly<Record<string, string>>;
  readonly api?: Readonly<Record<string, string>>;
};

type Engine = {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly loseData: () => void;
  readonly discard: () => Promise<void>;
};

export type World = {
  readonly apiUrl: string;
  readonly internalUrl: string;
  readonly internalKey: string;
  readonly database: TestDatabase;
  readonly chain: LocalChain;
  readonly shop: Shop;
  readonly api: ServiceProcess;
  readonly settlement: ServiceProcess;
  /** For the operator's command. */
  readonly operatorEnvironment: Readonly<Record<string, string>>;
  readonly engine: Engine;
  readonly rivalEngine: Engine | undefined;
};

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const database = await createTestDatabase();
  const cleanUps: (() => Promise<void> | void)[] = [];
  afterwards(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });
  const chain = await startChain({
    blockTimeSeconds: options.blockTimeSeconds ?? 0.1,
    ...(options.relayers !== undefined && { relayers: options.relayers }),
  });
  const dismiss = guardAgainstOutliving(chain.pid);
  cleanUps.push(async () => {
    await chain.stop('SIGKILL');
    dismiss();
  });
  const shop = await openShop(database.pool, chain);

  const engine = await startEngine(options.alwaysReplay ?? false);
  cleanUps.push(engine.discard);

  const feed = createServer((_, response) => {
    const observedAt = new Date().toISOString();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ usd: '2.5', observedAt }));
  }).listen(0, '127.0.0.1');
  cleanUps.push(() => void feed.close());
  const roles = await loginRoles(database);
  cleanUps.push(roles.drop);
  const internalKey = randomBytes(24).toString('hex');
  const shared = {
    SVC_NETWORKS: JSON.stringify({
      [chain.network]: {
        processor: chain.record.processor,
        processorVersion: '1.3.0',
        ready: true,
        rpcUrls: [chain.rpcUrl],
        gasCoinUsd: '3000',
      },
    }),
    SVC_LOG_LEVEL: 'info',
  };
  const startSettlement = async ({ ingressUrl, adminUrl }: Pick<Engine, 'ingressUrl' | 'adminUrl'>) => {
    const started = await startService(options.settlementProgram ?? mainOf('settlement'), {
      ...shared,
      SVC_DATABASE_URL: roles.url('svc_settlement'),
      SVC_RELAYER_TEST_KEYS: chain.keys.relayers.map(({ privateKey }) => privateKey).join(','),
      SVC_INTERNAL_KEYS: internalKey,
      SVC_SETTLEMENT_PORT: '0',
      SVC_SETTLEMENT_ENGINE_PORT: String((await freePorts()).node),
      SVC_ENGINE_ADMIN_URL: adminUrl,
      SVC_ENGINE_INGRESS_URL: ingressUrl,
      SVC_SETTLEMENT_POLL_MS: '50',
      ...options.settlement,
    });
    cleanUps.push(() => started.kill('SIGKILL'));
    return started;
  };
  const settlement = await startSettlement(engine);
  const rivalEngine = options.rival === true ? await startEngine(false) : undefined;
  if (rivalEngine !== undefined) {
    cleanUps.push(rivalEngine.discard);
    await startSettlement(rivalEngine);
  }
  const api = await startService(mainOf('api'), {
    ...shared,
    SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
    SVC_DATABASE_URL: roles.url('svc_api'),
    SVC_KEY_PEPPER: PEPPER.toString('base64'),
    SVC_API_PORT: '0',
    SVC_API_METRICS_PORT: '0',
    SVC_API_RATE_LIMITS: 'off',
    SVC_PRICE_FEED_URL: `http://127.0.0.1:${(feed.address() as AddressInfo).port}`,
    ...options.api,
  });
  cleanUps.push(() => api.kill('SIGKILL'));

  return {
    apiUrl: `http://127.0.0.1:${api.port}`,
    internalUrl: `http://127.0.0.1:${settlement.port}`,
    internalKey,
    database,
    chain,
    shop,
    api,
    settlement,
    operatorEnvironment: { SVC_DATABASE_URL: database.url, SVC_NETWORKS: shared.SVC_NETWORKS },
    engine,
    rivalEngine,
  };
}

/** Where it is found stays the same over crashes. */
async function startEngine(alwaysReplay: boolean): Promise<Engine> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'svc-restate-'));
  const ports = await freePorts();
  const start = () => startRestate({ dataDirectory, ports, alwaysReplay, guard: guardAgainstOutliving });
  let server: RestateServer = await start();
  const loseData = () => rmSync(dataDirectory, { recursive: true, force: true });
  return {
    ingressUrl: server.ingressUrl,
    adminUrl: server.adminUrl,
    kill: () => server.stop('SIGKILL'),
    start: async () => {
      server = await start();
    },
    loseData,
    discard: async () => {
      await server.stop('SIGKILL');
      loseData();
    },
  };
}

/** One that may log in for each group of the schema, so that every process has its own rights and no more. */
async function loginRoles({ pool, url }: TestDatabase) {
  const mark = randomBytes(4).toString('hex');
  const groups = ['svc_api', 'svc_settlement'] as const;
  const nameOf = (group: string) => `${group}_${mark}`;
  for (const group of groups)
    await pool.query(`create role ${nameOf(group)} login password '${mark}' in role ${group}`);
  return {
    url: (group: (typeof groups)[number]) => {
      const own = new URL(url);
      own.username = nameOf(group);
      own.password = mark;
      return own.href;
    },
    drop: async () => {
      for (const group of groups) await pool.query(`drop role ${nameOf(group)}`);
    },
  };
}

function afterwards(cleanUp: () => Promise<void>): void {
  try {
    onTestFinished(cleanUp);
  } catch {
    // Outside of a test.
    afterAll(cleanUp);
  }
}

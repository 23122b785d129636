// Everything at once, each as its own process: PostgreSQL, Restate, Anvil, the API, settlement, and webhooks if asked for.
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
import { MASTER_KEY, openShop, PEPPER, SEAL_KEY, type Shop } from './open-shop.ts';
import { mainOf, type ServiceProcess, startService } from './service-process.ts';

export type WorldOptions = {
  readonly blockTimeSeconds?: number;
  readonly alwaysReplay?: boolean;
  readonly relayers?: number;
  /** `finalized` lies twice this many blocks behind the newest; 1 unless told. */
  readonly slotsInAnEpoch?: number;
  /** Added to what SVC_NETWORKS says of the chain. */
  readonly network?: Readonly<Record<string, unknown>>;
  /** Other networks beside it, as SVC_NETWORKS names them. */
  readonly networks?: Readonly<Record<string, unknown>>;
  /** Instead of the settlement that ships. */
  readonly settlementProgram?: readonly string[];
  /** A second settlement with the same keys on an engine of its own: nobody but the database keeps the two apart. */
  readonly rival?: boolean;
  /** What settlement is told, when it is not what the API is told. */
  readonly processorVersionOfSettlement?: string;
  /** Instead of the chain's own address. */
  readonly rpcUrls?: (chainUrl: string) => Promise<readonly string[]>;
  /** Whether deliveries go out. */
  readonly webhooks?: boolean;
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
  readonly stop: () => Promise<void>;
};

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const database = await createTestDatabase();
  const cleanUps: (() => Promise<void> | void)[] = [];
  // Each once, the last first. A world that begins in a hook is to be stopped by one.
  const stop = async () => {
    for (let cleanUp = cleanUps.pop(); cleanUp !== undefined; cleanUp = cleanUps.pop()) await cleanUp();
  };
  afterwards(stop);
  const chain = await startChain({
    blockTimeSeconds: options.blockTimeSeconds ?? 0.1,
    ...(options.relayers !== undefined && { relayers: options.relayers }),
    ...(options.slotsInAnEpoch !== undefined && { slotsInAnEpoch: options.slotsInAnEpoch }),
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
  const rpcUrls = (await options.rpcUrls?.(chain.rpcUrl)) ?? [chain.rpcUrl];
  const networks = (processorVersion: string) =>
    JSON.stringify({
      [chain.network]: {
        processor: chain.record.processor,
        processorVersion,
        ready: true,
        rpcUrls,
        gasCoinUsd: '3000',
        ...options.network,
      },
      ...options.networks,
    });
  const shared = { SVC_NETWORKS: networks('1.3.0'), SVC_LOG_LEVEL: 'info' };
  const startSettlement = async ({ ingressUrl, adminUrl }: Pick<Engine, 'ingressUrl' | 'adminUrl'>) => {
    // The same after a restart, so that the API finds it again.
    const own = await freePorts();
    const started = await startService(options.settlementProgram ?? mainOf('settlement'), {
      ...shared,
      SVC_DATABASE_URL: roles.url('svc_settlement'),
      SVC_RELAYER_TEST_KEYS: chain.keys.relayers.map(({ privateKey }) => privateKey).join(','),
      SVC_RECOVERY_TEST_KEY: chain.keys.recovery.privateKey,
      SVC_INTERNAL_KEYS: internalKey,
      SVC_SETTLEMENT_PORT: String(own.admin),
      SVC_SETTLEMENT_ENGINE_PORT: String(own.node),
      SVC_ENGINE_ADMIN_URL: adminUrl,
      SVC_ENGINE_INGRESS_URL: ingressUrl,
      SVC_SETTLEMENT_POLL_MS: '50',
      ...(options.processorVersionOfSettlement !== undefined && {
        SVC_NETWORKS: networks(options.processorVersionOfSettlement),
      }),
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
    SVC_SEAL_KEY: SEAL_KEY,
    SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
    SVC_API_PORT: '0',
    SVC_API_METRICS_PORT: '0',
    SVC_API_RATE_LIMITS: 'off',
    SVC_SETTLEMENT_URL: `http://127.0.0.1:${settlement.port}`,
    SVC_INTERNAL_KEY: internalKey,
    SVC_PRICE_FEED_URL: `http://127.0.0.1:${(feed.address() as AddressInfo).port}`,
    ...options.api,
  });
  cleanUps.push(() => api.kill('SIGKILL'));
  if (options.webhooks === true) {
    const own = await freePorts();
    const webhooks = await startService(mainOf('webhooks'), {
      SVC_DATABASE_URL: roles.url('svc_webhooks'),
      SVC_MASTER_KEYS: `1:${MASTER_KEY.toString('base64')}`,
      SVC_WEBHOOKS_MODES: 'test',
      SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
      SVC_WEBHOOKS_PORT: String(own.admin),
      SVC_WEBHOOKS_ENGINE_PORT: String(own.node),
      SVC_ENGINE_ADMIN_URL: engine.adminUrl,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
    });
    cleanUps.push(() => webhooks.kill('SIGKILL'));
  }

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
    stop,
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
  const groups = ['svc_api', 'svc_settlement', 'svc_webhooks'] as const;
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

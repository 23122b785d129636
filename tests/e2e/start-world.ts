// Starts the whole service, each part as its own process: PostgreSQL, Restate, Anvil, API, settlement, optional
// webhooks.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, type RestatePorts, type RestateServer, startRestate } from '@svc-pay/engine/server';
import { type LocalChain, startChain } from '@svc-pay/evm/testing';
import { createTestDatabase, type TestDatabase } from '@svc-pay/postgres/testing';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { afterAll, onTestFinished } from 'vitest';
import { MASTER_KEY, openShop, PEPPER, SEAL_KEY, type Shop } from './open-shop.ts';
import { COMPILE_CACHE, mainOf, type ServiceProcess, startService } from './service-process.ts';

export type WorldOptions = {
  /** Chain id of the local chain, for clients that know only the ids of public chains; default 31337. */
  readonly chainId?: number;
  readonly blockTimeSeconds?: number;
  readonly alwaysReplay?: boolean;
  readonly relayers?: number;
  /** `finalized` is twice this many blocks behind the latest block; default 1. */
  readonly slotsInAnEpoch?: number;
  /** Additional settings of the chain in SVC_NETWORKS. */
  readonly network?: Readonly<Record<string, unknown>>;
  /** Further networks of SVC_NETWORKS. */
  readonly networks?: Readonly<Record<string, unknown>>;
  /** Replaces the real settlement program. */
  readonly settlementProgram?: readonly string[];
  /** Starts a second settlement with the same keys on its own engine: only the database's fence separates the two. */
  readonly rival?: boolean;
  /** Processor version for settlement, if different from the API's. */
  readonly processorVersionOfSettlement?: string;
  /** Replaces the chain's own URL. */
  readonly rpcUrls?: (chainUrl: string) => Promise<readonly string[]>;
  /** Starts the webhooks service. */
  readonly webhooks?: boolean;
  readonly settlement?: Readonly<Record<string, string>>;
  readonly api?: Readonly<Record<string, string>>;
};

const ROLE_GROUPS = ['svc_api', 'svc_settlement', 'svc_webhooks', 'svc_admin', 'svc_console'] as const;
type RoleGroup = (typeof ROLE_GROUPS)[number];

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
  /** Address of the database as a login of this role group. */
  readonly databaseUrlOf: (group: RoleGroup) => string;
  /** Environment of the operator's command. */
  readonly operatorEnvironment: Readonly<Record<string, string>>;
  readonly engine: Engine;
  readonly rivalEngine: Engine | undefined;
  readonly stop: () => Promise<void>;
};

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const database = await createTestDatabase();
  const cleanUps: (() => Promise<void> | void)[] = [];
  // Runs each clean-up once, last registered first. A world started in a hook must also be stopped in a hook.
  const stop = async () => {
    for (let cleanUp = cleanUps.pop(); cleanUp !== undefined; cleanUp = cleanUps.pop()) await cleanUp();
  };
  afterwards(stop);
  const startChainAndShop = async () => {
    const chain = await startChain({
      blockTimeSeconds: options.blockTimeSeconds ?? 0.1,
      ...(options.chainId !== undefined && { chainId: options.chainId }),
      ...(options.relayers !== undefined && { relayers: options.relayers }),
      ...(options.slotsInAnEpoch !== undefined && { slotsInAnEpoch: options.slotsInAnEpoch }),
    });
    const dismiss = killOnParentExit(chain.pid);
    cleanUps.push(async () => {
      await chain.stop('SIGKILL');
      dismiss();
    });
    return { chain, shop: await openShop(database.pool, chain) };
  };
  const startEngineOf = async (alwaysReplay: boolean) => {
    const started = await startEngine(alwaysReplay);
    cleanUps.push(started.discard);
    return started;
  };
  const [{ chain, shop }, engine, rivalEngine] = await Promise.all([
    startChainAndShop(),
    startEngineOf(options.alwaysReplay ?? false),
    options.rival === true ? startEngineOf(false) : undefined,
  ]);

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
  const shared = {
    SVC_NETWORKS: networks('1.3.0'),
    SVC_LOG_LEVEL: 'info',
    SVC_PAYOUT_APPROVERS: chain.keys.payoutApprover.account.address,
    SVC_PAYOUT_DELAY_HOURS: '0',
  };
  const startSettlement = async ({ ingressUrl, adminUrl }: Engine, own: RestatePorts) => {
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
  const startApi = async (settlementPort: number) => {
    const started = await startService(mainOf('api'), {
      ...shared,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
      SVC_DATABASE_URL: roles.url('svc_api'),
      SVC_KEY_PEPPER: PEPPER.toString('base64'),
      SVC_SEAL_KEY: SEAL_KEY,
      SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
      SVC_API_PORT: '0',
      SVC_API_METRICS_PORT: '0',
      SVC_API_RATE_LIMITS: 'off',
      SVC_SETTLEMENT_URL: `http://127.0.0.1:${settlementPort}`,
      SVC_INTERNAL_KEY: internalKey,
      SVC_PRICE_FEED_URL: `http://127.0.0.1:${(feed.address() as AddressInfo).port}`,
      ...options.api,
    });
    cleanUps.push(() => started.kill('SIGKILL'));
    return started;
  };
  const startWebhooks = async () => {
    const own = await freePorts();
    const started = await startService(mainOf('webhooks'), {
      SVC_DATABASE_URL: roles.url('svc_webhooks'),
      SVC_MASTER_KEYS: `1:${MASTER_KEY.toString('base64')}`,
      SVC_WEBHOOKS_MODES: 'test',
      SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
      SVC_WEBHOOKS_PORT: String(own.admin),
      SVC_WEBHOOKS_ENGINE_PORT: String(own.node),
      SVC_ENGINE_ADMIN_URL: engine.adminUrl,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
    });
    cleanUps.push(() => started.kill('SIGKILL'));
  };
  // Ports are chosen before the start, so that the API can start in parallel, and stay fixed for restarts.
  const settlementPorts = await freePorts();
  const [settlement, api] = await Promise.all([
    startSettlement(engine, settlementPorts),
    startApi(settlementPorts.admin),
    rivalEngine && startSettlement(rivalEngine, await freePorts()),
    options.webhooks === true ? startWebhooks() : undefined,
  ]);

  return {
    apiUrl: `http://127.0.0.1:${api.port}`,
    internalUrl: `http://127.0.0.1:${settlement.port}`,
    internalKey,
    database,
    chain,
    shop,
    api,
    settlement,
    databaseUrlOf: roles.url,
    operatorEnvironment: { ...COMPILE_CACHE, SVC_DATABASE_URL: database.url, SVC_NETWORKS: shared.SVC_NETWORKS },
    engine,
    rivalEngine,
    stop,
  };
}

/** Addresses stay the same across crashes. */
async function startEngine(alwaysReplay: boolean): Promise<Engine> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'svc-restate-'));
  const ports = await freePorts();
  const start = () => startRestate({ dataDirectory, ports, alwaysReplay, guard: killOnParentExit });
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

/** Creates a login role for each role group of the schema, so that each process has only its own rights. */
async function loginRoles({ pool, url }: TestDatabase) {
  const mark = randomBytes(4).toString('hex');
  const nameOf = (group: string) => `${group}_${mark}`;
  for (const group of ROLE_GROUPS)
    await pool.query(`create role ${nameOf(group)} login password '${mark}' in role ${group}`);
  return {
    url: (group: RoleGroup) => {
      const own = new URL(url);
      own.username = nameOf(group);
      own.password = mark;
      return own.href;
    },
    drop: async () => {
      for (const group of ROLE_GROUPS) await pool.query(`drop role ${nameOf(group)}`);
    },
  };
}

function afterwards(cleanUp: () => Promise<void>): void {
  try {
    onTestFinished(cleanUp);
  } catch {
    // Called outside of a test.
    afterAll(cleanUp);
  }
}

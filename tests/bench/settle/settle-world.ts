// Everything a settlement passes through, each part a process of its own: the API, settlement, webhooks, PostgreSQL, the
// engine, one chain with blocks of a second behind as many addresses as production has nodes, and a process that plays the
// merchant.
import { randomBytes } from 'node:crypto';
import { endpointContext, newEndpointSecret } from '@svc-pay/core';
import { freePorts } from '@svc-pay/engine/server';
import { createJsonRpc, type JsonRpc } from '@svc-pay/evm';
import { type LocalChain, startChain } from '@svc-pay/evm/local';
import { newId } from '@svc-pay/protocol/ids';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import type pg from 'pg';
import { waitFor } from '../../e2e/many-payments.ts';
import { isRead, openDirectPayout } from '../../e2e/open-direct-payout.ts';
import { BOX, MASTER_KEY, openShop, PEPPER, type Shop } from '../../e2e/open-shop.ts';
import { createBenchProcesses, startBenchServers } from '../bench-servers.ts';
import type { Listening } from '../intents/start-process.ts';
import { memberUrl } from '../member-url.ts';
import { COUNTED_STATEMENTS } from '../meters/database-counts.ts';
import { type NodeFronts, startNodeFronts } from '../meters/start-node-fronts.ts';
import { nowMs } from '../webhooks/bench-world.ts';

export type WorldWish = {
  /** Relayers that settle, one lane each. */
  readonly lanes?: number;
  /** Exact payments go to the merchants' own wallets. */
  readonly direct?: boolean;
  /** Addresses of the chain that settlement and the API are configured with. */
  readonly nodes?: number;
  /** Each with keys, a payout and an endpoint of its own. */
  readonly accounts?: number;
  /** How many of them have payments; all unless told. */
  readonly busyAccounts?: number;
  /** Node's own arguments for the services, by name. */
  readonly nodeArguments?: (service: ServiceName) => readonly string[];
  readonly postgresSettings?: Readonly<Record<string, string>>;
  /** Runs when the chain and the databases work and no service does: what is measured then is not beside ours. */
  readonly beforeServices?: (bare: BareWorld) => Promise<void>;
};

/** The chain with nobody on it yet. */
export type BareWorld = { readonly chain: LocalChain; readonly rpc: JsonRpc; readonly fronts: NodeFronts };

export type ServiceName = 'api' | 'settlement' | 'webhooks';
type PartName = ServiceName | 'postgres' | 'engine';

export type SettleWorld = {
  readonly pool: pg.Pool;
  readonly chain: LocalChain;
  /** Straight to the chain: what the bench asks is not counted. */
  readonly rpc: JsonRpc;
  readonly fronts: NodeFronts;
  readonly engine: { readonly ingressUrl: string; readonly adminUrl: string };
  /** Those that have payments. */
  readonly shops: readonly Shop[];
  /** Of direct payments, in lower case. */
  readonly wallets: readonly string[];
  readonly apiPort: number;
  readonly receiverPort: number;
  /** Roots of what a payment is charged with: not the chain, not the load. */
  readonly pids: Readonly<Record<PartName, number>>;
  /** Those that are not: the chain, its addresses, the receiver. */
  readonly besidePids: Readonly<Record<'chain' | 'nodes' | 'receiver', number>>;
  readonly durable: Readonly<Record<string, string>>;
  /** Ends the services by their own hand, so that profiles are written. */
  readonly stop: () => Promise<void>;
};

const READER_SECONDS = 60;
/** Production is told to have three: two outvote one. */
const NODES = 3;
export const BLOCK_SECONDS = 1;
/** Anvil's own default caps everybody near 500 payments a second. */
export const BLOCK_GAS_LIMIT = 1_000_000_000;

export async function startSettleWorld(wish: WorldWish = {}): Promise<SettleWorld> {
  const {
    lanes = 1,
    nodes = NODES,
    direct = false,
    accounts = 1,
    busyAccounts = accounts,
    nodeArguments = () => [],
  } = wish;
  const processes = createBenchProcesses();
  const { onStop, startOwn, stop } = processes;
  try {
    const { postgres, pool, durable, engine } = await startBenchServers(processes, {
      ...COUNTED_STATEMENTS,
      ...wish.postgresSettings,
    });
    await pool.query('create extension if not exists pg_stat_statements');
    await refuseUnlogged(pool);
    // The last relayer is the bench's own: what it sends bare is nobody's lane.
    const chain = await startChain({
      blockTimeSeconds: BLOCK_SECONDS,
      relayers: lanes + 1,
      guard: killOnParentExit,
    });
    onStop(() => chain.stop('SIGKILL'));

    const receiver = await startOwn('tests/bench/webhooks/receiver.ts', [], {});
    const fronts = await startNodeFronts(processes, chain.rpcUrl, nodes);
    const rpc = createJsonRpc({ urls: [chain.rpcUrl], timeoutMs: 60_000 });
    const shops: Shop[] = [];
    // Each shop is registered on chain; a thousand of them are not to wait a thousand blocks.
    await rpc([{ method: 'evm_setAutomine', params: [true] }]);
    for (let index = 0; index < accounts; index += 1) shops.push(await openShop(pool, chain));
    await rpc([{ method: 'evm_setIntervalMining', params: [BLOCK_SECONDS] }]);
    const wallets: string[] = [];
    for (const { accountId } of direct ? shops : []) wallets.push(await openDirectPayout(pool, chain, accountId));
    for (const { accountId } of shops) await addEndpoint(pool, accountId, `http://127.0.0.1:${receiver.port}/ok`);

    await wish.beforeServices?.({ chain, rpc, fronts });
    const databaseUrl = (service: ServiceName) => memberUrl(pool, postgres.url, service);
    const shared = {
      SVC_PAYOUT_APPROVERS: chain.keys.payoutApprover.account.address,
      SVC_PAYOUT_DELAY_HOURS: '0',
      SVC_NETWORKS: JSON.stringify({
        [chain.network]: {
          processor: chain.record.processor,
          processorVersion: '1.3.0',
          ready: true,
          rpcUrls: fronts.urls,
          gasCoinUsd: '3000',
        },
      }),
      SVC_ENGINE_ADMIN_URL: engine.adminUrl,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
    };
    const start = async (name: ServiceName, environment: Readonly<Record<string, string>>) =>
      startOwn(`services/${name}/src/main.ts`, [], { ...shared, ...environment }, nodeArguments(name));
    const [settlementPorts, webhooksPorts] = [await freePorts(), await freePorts()];
    const settlement = await start('settlement', {
      SVC_DATABASE_URL: await databaseUrl('settlement'),
      SVC_RELAYER_TEST_KEYS: chain.keys.relayers
        .slice(0, lanes)
        .map(({ privateKey }) => privateKey)
        .join(','),
      SVC_INTERNAL_KEYS: randomBytes(24).toString('hex'),
      SVC_SETTLEMENT_PORT: '0',
      SVC_SETTLEMENT_ENGINE_PORT: String(settlementPorts.node),
    });
    const webhooks = await start('webhooks', {
      SVC_DATABASE_URL: await databaseUrl('webhooks'),
      SVC_MASTER_KEYS: `1:${MASTER_KEY.toString('base64')}`,
      SVC_WEBHOOKS_MODES: 'test',
      SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
      SVC_WEBHOOKS_PORT: '0',
      SVC_WEBHOOKS_ENGINE_PORT: String(webhooksPorts.node),
    });
    const api = await start('api', {
      SVC_DATABASE_URL: await databaseUrl('api'),
      SVC_KEY_PEPPER: PEPPER.toString('base64'),
      SVC_API_PORT: '0',
      SVC_API_METRICS_PORT: '0',
      // The limiter works; only its limit is out of reach.
      SVC_API_RATE_LIMITS: 'on',
      SVC_API_RATE_TEST: '1000000',
      SVC_API_RATE_ADDRESS: '1000000',
      SVC_API_STORED_BYTES_PER_DAY: '1000000000000',
    });
    if (direct) {
      await waitFor(
        () => isRead(pool, chain.tokens.usdc),
        READER_SECONDS,
        'a cursor of the chain reader for the token',
      );
    }
    const pidOf = ({ child }: Listening) => child.pid ?? 0;
    return {
      pool,
      chain,
      rpc,
      fronts,
      engine,
      shops: shops.slice(0, busyAccounts),
      wallets,
      apiPort: api.port,
      receiverPort: receiver.port,
      pids: {
        api: pidOf(api),
        settlement: pidOf(settlement),
        webhooks: pidOf(webhooks),
        postgres: postgres.pid,
        engine: engine.pid,
      },
      besidePids: { chain: chain.pid, nodes: fronts.pid, receiver: pidOf(receiver) },
      durable,
      stop,
    };
  } catch (problem) {
    await stop();
    throw problem;
  }
}

async function addEndpoint(pool: pg.Pool, accountId: string, url: string): Promise<void> {
  const id = newId('endpoint', Math.floor(nowMs()));
  const secret = BOX.seal(newEndpointSecret(randomBytes), endpointContext(accountId, id, 'endpoint-secret'));
  await pool.query(
    `insert into svc.endpoints (
       account_id, mode, id, url, event_types, timeout_seconds, status, api_version, created_at, updated_at,
       secret_ciphertext
     ) values ($1, 'test', $2, $3, '{payment.completed}', 5, 'enabled', '2026-11-15', now(), now(), $4)`,
    [accountId, id, url, secret],
  );
}

async function refuseUnlogged(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relpersistence = 'u' and relkind in ('r', 'i', 'p')`,
  );
  if (rows.length > 0) throw new Error(`unlogged: ${rows.map(({ name }) => name).join(', ')}`);
}

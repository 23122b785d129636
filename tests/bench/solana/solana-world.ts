// Everything a Solana settlement passes through, each part a process of its own: the API, settlement, PostgreSQL, the engine,
// and a chain in memory with slots as long as the real one's, behind as many addresses as production has nodes.
import { randomBytes } from 'node:crypto';
import { freePorts } from '@svc-pay/engine/server';
import { createLocalRelayer, openNode, type SolanaNode } from '@svc-pay/solana';
import { drawActors, type LiteFaucet, openLiteFaucet } from '@svc-pay/solana/testing';
import type pg from 'pg';
import { PEPPER } from '../../e2e/open-shop.ts';
import { openSolanaShop, type SolanaShop } from '../../solana/open-solana-shop.ts';
import { createBenchProcesses, startBenchServers } from '../bench-servers.ts';
import type { Listening } from '../intents/start-process.ts';
import { COUNTED_STATEMENTS } from '../meters/database-counts.ts';
import { type NodeFronts, startNodeFronts } from '../meters/start-node-fronts.ts';

export type SolanaBenchWorld = {
  readonly pool: pg.Pool;
  /** Straight to the chain: what the bench asks is not counted. */
  readonly node: SolanaNode;
  readonly fronts: NodeFronts;
  readonly faucet: LiteFaucet;
  readonly chainPort: number;
  readonly apiPort: number;
  readonly shop: SolanaShop;
  readonly feeAccount: string;
  readonly durable: Readonly<Record<string, string>>;
  /** Roots of what a payment is charged with. */
  readonly pids: Readonly<Record<'api' | 'settlement' | 'postgres' | 'engine', number>>;
  readonly besidePids: Readonly<Record<'chain' | 'nodes', number>>;
  readonly stop: () => Promise<void>;
};

export const SLOT_MS = 400;
/** Production is told to have three. */
const NODES = 3;
const SOL = 1_000_000_000n;
const GROUPS = ['api', 'settlement'] as const;

export async function startSolanaBenchWorld(
  lanes: number,
  nodeArguments: (service: (typeof GROUPS)[number]) => readonly string[] = () => [],
): Promise<SolanaBenchWorld> {
  const processes = createBenchProcesses();
  const { startOwn, stop } = processes;
  try {
    const { postgres, pool, durable, engine } = await startBenchServers(processes, COUNTED_STATEMENTS);
    await pool.query('create extension pg_stat_statements');
    const chain = await startOwn('tests/solana/lite-process.ts', [String(SLOT_MS)], {});
    const rpcUrl = `http://127.0.0.1:${chain.port}`;
    const fronts = await startNodeFronts(processes, rpcUrl, NODES);
    const [faucet, node] = [openLiteFaucet(rpcUrl), openNode(rpcUrl)];
    const feeAccount = (await drawActors()).platform;
    await faucet.fundToken(feeAccount, 0n);
    const secrets = Array.from({ length: lanes }, () => randomBytes(32));
    for (const secret of secrets) await faucet.fundSol((await createLocalRelayer(secret)).address, 1_000n * SOL);
    const shop = await openSolanaShop(pool, faucet, feeAccount, false);

    const genesisHash = await node.genesisHash();
    const password = randomBytes(8).toString('hex');
    for (const group of GROUPS)
      await pool.query(`create role bench_${group} login password '${password}' in role svc_${group}`);
    const shared = (group: (typeof GROUPS)[number]) => ({
      SVC_DATABASE_URL: Object.assign(new URL(postgres.url), { username: `bench_${group}`, password }).href,
      SVC_NETWORKS: JSON.stringify({
        'solana:devnet': {
          feeAccount,
          ready: true,
          rpcUrls: fronts.urls,
          gasCoinUsd: '150',
          genesisHash,
        },
      }),
      SVC_ENGINE_ADMIN_URL: engine.adminUrl,
      SVC_ENGINE_INGRESS_URL: engine.ingressUrl,
    });
    const ports = await freePorts();
    const settlement = await startOwn(
      'services/settlement/src/main.ts',
      [],
      {
        ...shared('settlement'),
        SVC_SOLANA_RELAYER_TEST_KEYS: secrets.map((secret) => `0x${secret.toString('hex')}`).join(','),
        SVC_INTERNAL_KEYS: randomBytes(24).toString('hex'),
        SVC_SETTLEMENT_PORT: '0',
        SVC_SETTLEMENT_ENGINE_PORT: String(ports.node),
      },
      nodeArguments('settlement'),
    );
    const api = await startOwn(
      'services/api/src/main.ts',
      [],
      {
        ...shared('api'),
        SVC_KEY_PEPPER: PEPPER.toString('base64'),
        SVC_API_PORT: '0',
        SVC_API_METRICS_PORT: '0',
        // The limiter works; only its limit is out of reach.
        SVC_API_RATE_LIMITS: 'on',
        SVC_API_RATE_TEST: '1000000',
        SVC_API_RATE_ADDRESS: '1000000',
        SVC_API_STORED_BYTES_PER_DAY: '1000000000000',
      },
      nodeArguments('api'),
    );
    const pidOf = ({ child }: Listening) => child.pid ?? 0;
    return {
      pool,
      node,
      fronts,
      faucet,
      chainPort: chain.port,
      apiPort: api.port,
      shop,
      feeAccount,
      durable,
      pids: {
        api: pidOf(api),
        settlement: pidOf(settlement),
        postgres: postgres.pid,
        engine: engine.pid,
      },
      besidePids: { chain: pidOf(chain), nodes: fronts.pid },
      stop,
    };
  } catch (problem) {
    await stop();
    throw problem;
  }
}

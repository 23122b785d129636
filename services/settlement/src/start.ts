// Settlement as one value: lanes with their keys, watchers and timers without, and the internal listener.
import type { AddressInfo } from 'node:net';
import { type Clock, type LanePace, type LaneParts, laneKey, systemClock } from '@svc-pay/core';
import { createWakeDrain, type EngineWork, serveEngineWork } from '@svc-pay/engine';
import { createLaneChain } from '@svc-pay/evm';
import { createLogger, type Logger } from '@svc-pay/observe';
import { createPendingMigrations, type Database, openDatabase } from '@svc-pay/postgres';
import {
  createFinalityStore,
  createLaneStore,
  createRecoveryStore,
  measureLanes,
  registerRelayer,
  reportHealth,
  reportLanes,
} from '@svc-pay/postgres/lanes';
import type { RelayerSigner } from '@svc-pay/solana';
import type { SettlementConfig } from './config.ts';
import { createInternalListener } from './http/internal-listener.ts';
import { createBeginUpto } from './lane/begin-upto.ts';
import { createLaneDrain } from './lane/drain.ts';
import { createSettlementMetrics, type SettlementMetrics } from './observe/settlement-metrics.ts';
import { type OpenNetwork, openNetworks } from './open-networks.ts';
import { openSigners, type Signers } from './open-signers.ts';
import { openSolanaLanes } from './solana/open-lanes.ts';
import { openSolanaRelayers } from './solana/open-relayers.ts';
import { type OpenSolana, openSolana } from './solana/open-solana.ts';
import type { WatchParts } from './watch/watch-parts.ts';
import { createWatchers } from './watch/watchers.ts';

export type RunningSettlement = {
  readonly url: string;
  readonly engineUrl: string;
  readonly stop: () => Promise<void>;
};

export type StartOptions = {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** For tests that put a bug in on purpose, and for nothing else. */
  readonly bend?: (parts: LaneParts, database: Database) => LaneParts;
};

const STATEMENT_TIMEOUT_MS = 30_000;
const TROUBLE_MS = 1_000;
/** A payment that nothing can carry now is tried again after this. */
const DEFER_MS = 5_000;

export async function startSettlement(
  config: SettlementConfig,
  options: StartOptions = {},
): Promise<RunningSettlement> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger('settlement', config.logLevel);
  const signers = await openSigners(config);
  const solanaRelayers = await openSolanaRelayers(config);
  const metrics = createSettlementMetrics({
    networks: [...config.networks.keys()],
    measure: () => measureLanes(database.pool, clock.nowMs()),
    onProblem: (problem) => logger.warn({ err: problem }, 'the database could not be measured'),
  });
  const log: WatchParts['log'] = (level, details, message) => {
    metrics.logged(level);
    logger[level](details, message);
  };
  const openOptions = { timeoutMs: config.rpcTimeoutMs, nowMs: clock.nowMs(), maxFeeGwei: config.maxFeeGwei, log };
  const networks = openNetworks(config.networks, openOptions);
  const solana = await openSolana(config.networks, openOptions);
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-settlement',
    maxConnections: config.databasePool,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    workBySets: true,
    onConnectionLost: (problem) => logger.warn({ err: problem }, 'database connection lost'),
  });
  const bend = (parts: LaneParts) => options.bend?.(parts, database) ?? parts;
  const work = await serveWork(config, database, {
    clock,
    logger,
    log,
    metrics,
    signers,
    solanaRelayers,
    networks,
    solana,
    bend,
  });
  const pendingMigrations = await createPendingMigrations(database.pool);
  const listener = createInternalListener({
    keys: config.internalKeys,
    clock,
    reportLanes: () => reportLanes(database.pool),
    beginUpto: createBeginUpto({
      pool: database.pool,
      clock,
      networks,
      wake: createWakeDrain(config.engineIngressUrls),
      onProblem: (problem) => logger.warn({ err: problem }, 'a lane could not be woken; its payments stay queued'),
    }),
    onProblem: (problem) => logger.error({ err: problem }, 'unexpected'),
    reportHealth: () => reportHealth(database.pool),
    metrics: metrics.read,
    findObstacles: async () => [
      ...(await pendingMigrations()).map((name) => `migration ${name} is missing`),
      ...(work.isRegistered() ? [] : ['the engine does not know this process']),
    ],
  });
  await listener.listen({ host: config.host, port: config.port });
  work.keepRegistered();
  const { port } = listener.server.address() as AddressInfo;
  const relayers = [...signers.relayers, ...solanaRelayers].map(({ address }) => address);
  logger.info(
    { host: config.host, port, engineUrl: work.url, relayers, recovery: signers.recovery?.address },
    'listening',
  );
  return {
    url: `http://${config.host}:${port}`,
    engineUrl: work.url,
    stop: async () => {
      logger.info('stopping');
      await work.stop();
      await listener.close();
      await database.close();
      logger.info('stopped');
    },
  };
}

type Parts = {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly log: WatchParts['log'];
  readonly metrics: SettlementMetrics;
  readonly signers: Signers;
  readonly solanaRelayers: readonly RelayerSigner[];
  readonly networks: readonly OpenNetwork[];
  readonly solana: readonly OpenSolana[];
  readonly bend: (parts: LaneParts) => LaneParts;
};

async function serveWork(config: SettlementConfig, { pool }: Database, parts: Parts): Promise<EngineWork> {
  const { clock, logger, log, metrics, signers, networks, solana, bend } = parts;
  const options: Parameters<typeof createLaneStore>[1] = {
    clock,
    gasCoinRate: (network) => [...networks, ...solana].find((open) => open.network === network)?.gasCoin,
  };
  const store = createLaneStore(pool, options);
  const recoveryStore = createRecoveryStore(pool, options);
  const { recovery } = signers;
  const workers = [
    ...signers.relayers.map((signer) => ({ signer, duty: 'settle', laneStore: store }) as const),
    ...(recovery === undefined ? [] : [{ signer: recovery, duty: 'recover', laneStore: recoveryStore } as const]),
  ];
  const pace: LanePace = {
    maxInFlight: config.maxInFlight,
    gatherMs: config.gatherMs,
    pollMs: config.pollMs,
    resendMs: config.resendMs,
    bumpMs: config.bumpMs,
    deferMs: DEFER_MS,
    troubleMs: TROUBLE_MS,
  };
  const logOf =
    (lane: string): LaneParts['log'] =>
    (level, { what, ...details }) =>
      log(level, { lane, ...details }, what);
  const lanes = new Map<string, LaneParts>();
  for (const { network, mode, rpc, endpoints, voters, feeBounds } of networks) {
    for (const { signer, duty, laneStore } of workers) {
      const chain = createLaneChain({
        network,
        rpc,
        endpoints,
        voters,
        signer,
        maxFeeWei: feeBounds.maxFeeWei,
      });
      const lane = { network, relayer: signer.address };
      await registerRelayer(pool, { ...lane, mode, duty }, chain.minedNonce, clock.nowMs());
      const key = laneKey(lane);
      lanes.set(key, bend({ store: laneStore, chain, clock, pace, log: logOf(key) }));
    }
  }
  const partsOf = (key: string) => ({ store, clock, log: logOf(key) });
  const solanaLanes = await openSolanaLanes({ pool, networks: solana, relayers: parts.solanaRelayers, pace, partsOf });
  for (const [key, lane] of solanaLanes) lanes.set(key, bend(lane));
  return serveEngineWork({
    drains: [createLaneDrain(lanes)],
    pulses: createWatchers({
      pool,
      finality: createFinalityStore(pool),
      clock,
      networks,
      solana,
      solanaRelayers: parts.solanaRelayers,
      health: { stuckMs: config.stuckMs, lowTransactions: BigInt(config.lowFloat) },
      log,
      metrics,
      wake: createWakeDrain(config.engineIngressUrls),
    }),
    host: config.engineHost,
    port: config.enginePort,
    ...(config.engineOwnUrl !== undefined && { advertisedUrl: config.engineOwnUrl }),
    identityKeys: config.engineIdentityKeys ?? [],
    adminUrls: config.engineAdminUrls,
    ingressUrls: config.engineIngressUrls,
    log: (level, message) => logger[level]({ part: 'engine' }, message),
  });
}

// Settlement as one value: lanes with their keys, watchers and timers without, and the internal listener.
import type { AddressInfo } from 'node:net';
import { type Clock, type LanePace, type LaneParts, laneKey, systemClock } from '@svc-pay/core';
import { type EngineWork, serveEngineWork, wakeDrain } from '@svc-pay/engine';
import { createLaneChain, type TransactionSigner } from '@svc-pay/evm';
import { createLogger, type Logger } from '@svc-pay/observe';
import { createPendingMigrations, type Database, openDatabase } from '@svc-pay/postgres';
import { createLaneStore, registerRelayer, reportLanes } from '@svc-pay/postgres/lanes';
import type { SettlementConfig } from './config.ts';
import { createInternalListener } from './http/internal-listener.ts';
import { createLaneDrain } from './lane/drain.ts';
import { type OpenNetwork, openNetworks } from './open-networks.ts';
import { openSigners } from './open-signers.ts';
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

export async function startSettlement(
  config: SettlementConfig,
  options: StartOptions = {},
): Promise<RunningSettlement> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger('settlement', config.logLevel);
  const signers = await openSigners(config);
  const networks = openNetworks(config.networks, config.rpcTimeoutMs, clock.nowMs());
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-settlement',
    maxConnections: config.databasePool,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    workBySets: true,
    onConnectionLost: (problem) => logger.warn({ err: problem }, 'database connection lost'),
  });
  const bend = (parts: LaneParts) => options.bend?.(parts, database) ?? parts;
  const work = await serveWork(config, database, { clock, logger, signers, networks, bend });
  const pendingMigrations = await createPendingMigrations(database.pool);
  const listener = createInternalListener({
    keys: config.internalKeys,
    clock,
    reportLanes: () => reportLanes(database.pool),
    findObstacles: async () => [
      ...(await pendingMigrations()).map((name) => `migration ${name} is missing`),
      ...(work.isRegistered() ? [] : ['the engine does not know this process']),
    ],
  });
  await listener.listen({ host: config.host, port: config.port });
  work.keepRegistered();
  const { port } = listener.server.address() as AddressInfo;
  const relayers = signers.map(({ address }) => address);
  logger.info({ host: config.host, port, engineUrl: work.url, relayers }, 'listening');
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
  readonly signers: readonly TransactionSigner[];
  readonly networks: readonly OpenNetwork[];
  readonly bend: (parts: LaneParts) => LaneParts;
};

async function serveWork(config: SettlementConfig, { pool }: Database, parts: Parts): Promise<EngineWork> {
  const { clock, logger, signers, networks, bend } = parts;
  const store = createLaneStore(pool, {
    clock,
    gasCoinRate: (network) => networks.find((open) => open.network === network)?.gasCoin,
  });
  const pace: LanePace = {
    maxInFlight: config.maxInFlight,
    gatherMs: config.gatherMs,
    pollMs: config.pollMs,
    resendMs: config.resendMs,
    troubleMs: TROUBLE_MS,
  };
  const lanes = new Map<string, LaneParts>();
  for (const { network, mode, rpc, endpoints } of networks) {
    for (const signer of signers) {
      const chain = createLaneChain({ network, rpc, endpoints, signer });
      const lane = { network, relayer: signer.address };
      await registerRelayer(pool, { ...lane, mode }, chain.minedNonce, clock.nowMs());
      const log: LaneParts['log'] = (level, { what, ...details }) =>
        logger[level]({ lane: laneKey(lane), ...details }, what);
      lanes.set(laneKey(lane), bend({ store, chain, clock, pace, log }));
    }
  }
  return serveEngineWork({
    drains: [createLaneDrain(lanes)],
    pulses: createWatchers({
      pool,
      clock,
      networks,
      log: (level, details, message) => logger[level](details, message),
      wake: (drain, key) => wakeDrain(config.engineIngressUrl, drain, key),
    }),
    host: config.engineHost,
    port: config.enginePort,
    ...(config.engineOwnUrl !== undefined && { advertisedUrl: config.engineOwnUrl }),
    identityKeys: config.engineIdentityKeys ?? [],
    adminUrl: config.engineAdminUrl,
    ingressUrl: config.engineIngressUrl,
    log: (level, message) => logger[level]({ part: 'engine' }, message),
  });
}

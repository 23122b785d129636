// Starts settlement: lanes with their keys, watchers and timers without keys, and the internal listener.
import type { AddressInfo } from 'node:net';
import {
  ALL_NETWORKS,
  type Clock,
  countFullCaps,
  createLookout,
  FULL_CAP_WINDOW_MS,
  type LaneDeps,
  type LanePace,
  type Lookout,
  type OpenWork,
  systemClock,
  useExplorers,
  wholeUsd,
} from '@svc-pay/core';
import { createWakeDrain, type EngineWork, serveEngineWork } from '@svc-pay/engine';
import { createInstallationId, createPendingMigrations, type Database, openDatabase } from '@svc-pay/postgres';
import {
  createSettlementReports,
  createSettlementStores,
  type SettlementStores,
} from '@svc-pay/postgres/settlement-service';
import { archiveChoice } from '@svc-pay/runtime/config';
import { explorersOf } from '@svc-pay/runtime/config/networks';
import { createLogger, type Logger } from '@svc-pay/runtime/logging';
import { LOG_EVENTS, type LogEvent, logEvent } from '@svc-pay/runtime/logging/log-events';
import { type ChainFamily, openChainFamilies } from './chain-families.ts';
import type { SettlementConfig } from './config.ts';
import { createInternalListener } from './http/internal-listener.ts';
import { createTransferNotify } from './http/notify-transfer.ts';
import { createBeginUpto } from './lane/begin-upto.ts';
import { createLaneDrain } from './lane/drain.ts';
import { createSettlementMetrics, type SettlementMetrics } from './observe/settlement-metrics.ts';
import { createJobs } from './watch/create-jobs.ts';
import { createRetention, type Retention } from './watch/retention.ts';

export type RunningSettlement = {
  readonly url: string;
  readonly engineUrl: string;
  readonly stop: () => Promise<void>;
};

export type StartOptions = {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Injects a deliberate bug; for tests only. */
  readonly injectFault?: (lane: LaneDeps, database: Database) => LaneDeps;
};

const STATEMENT_TIMEOUT_MS = 30_000;
/** As often as the most frequent of the jobs that it is for. */
const LOOK_MS = 1_000;
/** Name of the look in logs and metrics, beside those of the jobs. */
const LOOKOUT = 'lookout';
const TROUBLE_MS = 1_000;
/** Delay before a payment that no transaction can carry now is tried again. */
const DEFER_MS = 5_000;

export async function startSettlement(
  config: SettlementConfig,
  options: StartOptions = {},
): Promise<RunningSettlement> {
  useExplorers(explorersOf(config.networks));
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger('settlement', config.logLevel);
  const fullCaps = countFullCaps();
  const metrics = createSettlementMetrics({
    fullCaps: (mode) => ({ account: fullCaps.most(mode, clock.nowMs()), all: fullCaps.all(mode, clock.nowMs()) }),
    networks: [...config.networks.keys()],
    measure: async () => {
      const [lanes, reader, retained, budgets] = await Promise.all([
        reports.measureLanes(clock.nowMs()),
        reports.measureReader(clock.nowMs()),
        reports.reportRetention(),
        reports.measureBudgets(),
      ]);
      return { ...lanes, reader, budgets, retention: { ...retained, measuredAtMs: clock.nowMs() } };
    },
    onProblem: (problem) => logEvent(logger, 'database_not_measured', { err: problem }),
  });
  const log = (event: LogEvent, details: object) => {
    metrics.logged(LOG_EVENTS[event].level);
    logEvent(logger, event, details);
  };
  const families = await openChainFamilies(config, {
    nowMs: clock.nowMs(),
    log,
    onReaderCalls: metrics.reader.called,
  });
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-settlement',
    isService: true,
    maxConnections: config.databasePool,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    byKeys: true,
    onConnectionLost: (problem) => logEvent(logger, 'database_connection_lost', { err: problem }),
  });
  const reports = createSettlementReports(database);
  const networks = families.flatMap((family) => family.networks);
  const installation = createInstallationId(database);
  const checks = families.map((family) => family.openPayoutCheck({ clock, installation }));
  const stores = createSettlementStores(database, {
    checkPayout: async (...given) => {
      const verdicts = await Promise.all(checks.map((check) => check(...given)));
      return verdicts.find((verdict) => verdict !== 'refused') ?? 'refused';
    },
    clock,
    gasCoinRate: (network) => networks.find((open) => open.network === network)?.gasCoin,
    onGasSpent: metrics.gasSpent,
    processorVersion: (...named) =>
      families.map((family) => family.processorVersion(...named)).find((version) => version !== undefined),
  });
  const injectFault = (lane: LaneDeps) => options.injectFault?.(lane, database) ?? lane;
  const retention = createRetention(stores.maintenance, {
    archive: archiveChoice(config),
    archiveDirectory: config.archiveDir,
    clock,
    log,
    countFailure: metrics.watchFailed,
  });
  const lookedAt = [
    ...new Set([...networks, ...families.flatMap((family) => family.icrcChains)].map(({ network }) => network)),
  ];
  const lookout = createLookout({
    look: () => stores.loadOpenWork(lookedAt, clock.nowMs()),
    everyMs: LOOK_MS,
    onProblem: (problem) => {
      metrics.watchFailed(ALL_NETWORKS, LOOKOUT);
      log('periodic_job_failed', { network: ALL_NETWORKS, watcher: LOOKOUT, err: problem });
    },
  });
  const deps = { lookout, stores, families, installation, clock, logger, log, metrics, injectFault, retention };
  const work = await serveWork(config, deps);
  const pendingMigrations = await createPendingMigrations(database);
  const listener = createInternalListener({
    keys: config.internalKeys,
    clock,
    reportLanes: reports.reportLanes,
    acceptPayment: stores.acceptPayment,
    notifyTransfer: createTransferNotify({
      icrc: stores.icrc,
      chains: families.flatMap((family) => family.icrcChains),
      clock,
      log,
      onApplied: metrics.reader.logApplied,
      onProblem: (problem, ids) => logEvent(logger, 'request_failed', { ...ids, err: problem }),
    }),
    beginUpto: createBeginUpto({
      ...stores,
      wake: createWakeDrain(config.engineIngressUrls),
      onCharged: (charge) => {
        const count = fullCaps.charged(charge, clock.nowMs());
        if (count === undefined) return;
        log('full_caps_burst', { accountId: charge.accountId, mode: charge.mode, count, withinMs: FULL_CAP_WINDOW_MS });
      },
      onProblem: (problem, ids) => logEvent(logger, 'lane_not_woken', { ...ids, err: problem }),
    }),
    onProblem: (problem, ids) => logEvent(logger, 'request_failed', { ...ids, err: problem }),
    reportHealth: reports.reportHealth,
    metrics: metrics.read,
    findObstacles: async () => [
      ...(await pendingMigrations()).map((name) => `migration ${name} is missing`),
      ...(work.isRegistered() ? [] : ['the engine does not know this process']),
    ],
  });
  await listener.listen({ host: config.host, port: config.port });
  work.keepRegistered();
  const { port } = listener.server.address() as AddressInfo;
  const relayers = families.flatMap((family) => family.relayers);
  const recovery = families.find((family) => family.recovery !== undefined)?.recovery;
  logEvent(logger, 'service_listening', { host: config.host, port, engineUrl: work.url, relayers, recovery });
  return {
    url: `http://${config.host}:${port}`,
    engineUrl: work.url,
    stop: async () => {
      logEvent(logger, 'service_stopping');
      await lookout.stop();
      await work.stop();
      await retention.stop();
      await listener.close();
      await database.close();
      logEvent(logger, 'service_stopped');
    },
  };
}

type Deps = {
  readonly lookout: Lookout<OpenWork>;
  readonly stores: SettlementStores;
  readonly families: readonly ChainFamily[];
  readonly installation: () => Promise<string>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly log: (event: LogEvent, details: object) => void;
  readonly metrics: SettlementMetrics;
  readonly injectFault: (lane: LaneDeps) => LaneDeps;
  readonly retention: Retention;
};

async function serveWork(config: SettlementConfig, deps: Deps): Promise<EngineWork> {
  const { lookout, stores, families, installation, clock, logger, log, metrics, injectFault, retention } = deps;
  const pace: LanePace = {
    maxInFlight: config.maxInFlight,
    gatherMs: config.gatherMs,
    pollMs: config.pollMs,
    resendMs: config.resendMs,
    linkMs: config.linkMs,
    bumpMs: config.bumpMs,
    deferMs: DEFER_MS,
    troubleMs: TROUBLE_MS,
  };
  const logOf =
    (lane: string): LaneDeps['log'] =>
    (event, details) =>
      log(event, { lane, ...details });
  const lanes = new Map<string, LaneDeps>();
  for (const family of families) {
    const opened = await family.openLanes({ stores, clock, pace, logOf, installation });
    for (const [key, lane] of opened) lanes.set(key, injectFault(lane));
  }
  const watched = { clock, log, countFailure: metrics.watchFailed };
  const lowTransactions = BigInt(config.lowFloat);
  const onApplied = metrics.reader.logApplied;
  const given = { ...watched, installation, stores, lowTransactions, onApplied };
  const chains = families.flatMap((family) => family.openWatched(given));
  const readers = families.flatMap((family) => family.readerChains);
  const wake = createWakeDrain(config.engineIngressUrls);
  return serveEngineWork({
    drains: [createLaneDrain(lanes)],
    jobs: createJobs(chains, readers, {
      ...stores,
      ...watched,
      icrcChains: families.flatMap((family) => family.icrcChains),
      nodeProbes: families.flatMap((family) => family.nodeProbes),
      metrics,
      retention,
      wake,
      stuckMs: config.stuckMs,
      budgetFloors: { hour: wholeUsd(config.gasLossHourUsd), day: wholeUsd(config.gasLossDayUsd) },
      readerLimits: { everyMs: config.readerEveryMs, claimMs: config.readerClaimMs },
      unpaidDays: config.unpaidDays,
      lookout,
      restMs: config.restMs,
    }),
    host: config.engineHost,
    port: config.enginePort,
    ...(config.engineOwnUrl !== undefined && { advertisedUrl: config.engineOwnUrl }),
    identityKeys: config.engineIdentityKeys ?? [],
    adminUrls: config.engineAdminUrls,
    ingressUrls: config.engineIngressUrls,
    log: (event, details) => logEvent(logger, event, details),
  });
}

// Starts the API: database, listeners, and the order of shutdown.
import type { AddressInfo } from 'node:net';
import { type Clock, createIntentCodes, createSealer, LANE_DRAIN, laneKey, systemClock } from '@svc-pay/core';
import { createWakeDrain } from '@svc-pay/engine/wake';
import {
  countConnections,
  createApiStores,
  createInstallationId,
  createPendingMigrations,
  openDatabase,
  watchIntents,
} from '@svc-pay/postgres';
import { createMerchantStores } from '@svc-pay/postgres/merchant-api';
import { createLogger, type Logger } from '@svc-pay/runtime/logging';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import type { FastifyInstance } from 'fastify';
import { createApi } from './app.ts';
import type { ApiConfig } from './config.ts';
import { closeWithin, watchUnused } from './http/close-within.ts';
import { listenForMetrics } from './observe/metrics-listener.ts';
import { startTracing } from './observe/tracing.ts';
import { createPaymentFamilies } from './payment-families.ts';
import type { ApiPorts } from './ports.ts';
import { createRateOf } from './prices.ts';
import { createLaneWaker } from './settle/lane-waker.ts';
import { createOutcomeWaits } from './settle/outcome-waits.ts';
import { createSettlementClient, NO_SETTLEMENT } from './settle/settlement-client.ts';

export type RunningApi = {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly metricsUrl: string;
  /** Reports not ready immediately, lets open requests finish within the configured time, then closes everything. */
  readonly stop: () => Promise<void>;
};

export type StartOptions = { readonly clock?: Clock; readonly logger?: Logger };

const CODES_PER_BLOCK = 100;
/** Upper bound for the delay that a lost notification causes. */
const OUTCOME_POLL_MS = 1_000;
const MAX_SETTLE_WAITS = 10_000;
const WAKE_PAUSE_MS = 100;
const SETTLEMENT_TIMEOUT_MS = 10_000;

export async function startApi(config: ApiConfig, options: StartOptions = {}): Promise<RunningApi> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger('api', config.logLevel);
  const onProblem = (problem: Error) => logEvent(logger, 'database_connection_lost', { err: problem });
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-api',
    maxConnections: config.databasePool,
    statementTimeoutMs: config.statementTimeoutMs,
    byKeys: true,
    onConnectionLost: onProblem,
  });
  const stores = createApiStores(database, { clock, cacheMs: config.cacheMs });
  const watcher = watchIntents(config.databaseUrl, onProblem);
  const watchIntent: ApiPorts['watchIntent'] = async (intentId, onChange) => watcher.watch(intentId, onChange);
  const waits = createOutcomeWaits({
    watchIntent,
    findFinished: stores.findFinished,
    pollMs: OUTCOME_POLL_MS,
    max: MAX_SETTLE_WAITS,
    onProblem: (problem, ids) => logEvent(logger, 'awaited_payments_not_read', { ...ids, err: problem }),
  });
  const wakeDrain = config.engineIngressUrls && createWakeDrain(config.engineIngressUrls);
  const waker =
    wakeDrain === undefined
      ? undefined
      : createLaneWaker({
          markAwake: stores.markAwake,
          markAsleep: stores.markAsleep,
          wake: (lane) => wakeDrain(LANE_DRAIN, laneKey(lane)),
          pauseMs: WAKE_PAUSE_MS,
          onProblem: (problem, ids) => logEvent(logger, 'lane_not_woken', { ...ids, err: problem }),
        });
  const { settlementUrls, internalKey } = config;
  const uptoSettles = settlementUrls !== undefined && internalKey !== undefined;
  const settlement = uptoSettles
    ? createSettlementClient({
        urls: settlementUrls,
        internalKey,
        timeoutMs: SETTLEMENT_TIMEOUT_MS,
        onProblem: (problem, ids) => logEvent(logger, 'settlement_not_reached', { ...ids, err: problem }),
      })
    : NO_SETTLEMENT;
  const pendingMigrations = await createPendingMigrations(database);
  const tracing = config.traceUrl === undefined ? undefined : await startTracing(config.traceUrl);

  const installation = createInstallationId(database);
  // Read now, so that no request waits for it. If the database does not answer yet, the first request that needs it asks.
  void installation().catch(() => {});
  const families = createPaymentFamilies(config, {
    stores: stores.transfers,
    clock,
    installation,
    onProblem: (network, problem) => logEvent(logger, 'chain_read_failed', { network, err: problem }),
    log: (event, details) => logEvent(logger, event, details),
  });
  const api = createApi({
    ports: {
      ...stores,
      ...settlement,
      uptoSettles,
      merchant: createMerchantStores(database, clock),
      sealer: config.sealingKey && createSealer(config.sealingKey),
      endpointUrls: { allowLoopback: config.allowLoopback, deniedPorts: config.deniedPorts },
      clock,
      pepper: config.keyPepper,
      families,
      networks: config.networks,
      facilitatorUrl: config.publicUrl ?? null,
      rateOf: createRateOf(config, clock, logger),
      priceLifeMs: config.priceLifeMs,
      nextIntentCode: createIntentCodes(stores.reserveIntentCodes, CODES_PER_BLOCK),
      watchIntent,
      settleWaitMs: config.settleWaitMs,
      awaitResult: waits.awaitResult,
      wakeLanes: waker?.wakeLanes ?? (() => {}),
      checkDatabase: async () => {
        const pending = await pendingMigrations();
        if (pending.length > 0) throw new Error(`migrations are missing: ${pending.join(', ')}`);
      },
    },
    logger,
    limits: config.rateLimits
      ? { perSecondByMode: { live: config.rateLive, test: config.rateTest }, perSecondByAddress: config.rateAddress }
      : undefined,
    streams: {
      limits: {
        max: config.streamsMax,
        perAddress: config.streamsPerAddress,
        perKey: config.streamsPerKey,
        perIntent: config.streamsPerIntent,
      },
      heartbeatMs: config.streamHeartbeatMs,
      pollMs: config.streamPollMs,
      lifeMs: config.streamLifeMs,
    },
    settleWaits: waits.count,
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies ?? [],
    docsUrl: `${config.publicUrl ?? ''}/reference`,
    requestTimeoutMs: config.requestTimeoutMs,
    poolStats: () => countConnections(database),
    ...(tracing && { tracer: tracing.tracer }),
  });

  const closeConnections = async () => {
    await Promise.all([watcher.close(), waker?.stop(), tracing?.stop()]);
    await database.close();
  };
  const listen = async () => {
    await api.app.listen({ host: config.host, port: config.port });
    return listenForMetrics(api.metrics, config.metricsHost, config.metricsPort);
  };
  const unused = watchUnused(api.app.server);
  const metrics = await listen().catch(async (problem: unknown) => {
    await api.app.close();
    await closeConnections();
    throw problem;
  });
  const { port } = api.app.server.address() as AddressInfo;
  logEvent(logger, 'service_listening', { host: config.host, port, metricsPort: metrics.port });

  return {
    app: api.app,
    url: `http://${urlHost(config.host)}:${port}`,
    metricsUrl: `http://${urlHost(config.metricsHost)}:${metrics.port}/metrics`,
    async stop() {
      logEvent(logger, 'service_stopping');
      api.beginStop();
      waits.endAll();
      await closeWithin(api.app, unused, config.stopTimeoutMs, () => logEvent(logger, 'requests_cut_off'));
      await metrics.close();
      await closeConnections();
      logEvent(logger, 'service_stopped');
    },
  };
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host);

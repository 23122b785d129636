// The API as a running process: database, listeners, and the order in which everything ends.
import type { AddressInfo } from 'node:net';
import { type Clock, createIntentCodes, createSealer, LANE_DRAIN, laneKey, systemClock } from '@svc-pay/core';
import { createWakeDrain } from '@svc-pay/engine/wake';
import { createLogger, type Logger } from '@svc-pay/observe';
import { createApiStores, createPendingMigrations, openDatabase, watchIntents } from '@svc-pay/postgres';
import { createMerchantStores } from '@svc-pay/postgres/merchant';
import { familyOf, type NetworkId } from '@svc-pay/protocol';
import type { FastifyInstance } from 'fastify';
import { createApi } from './app.ts';
import { createChainReads } from './chain/chain-reads.ts';
import type { ApiConfig } from './config.ts';
import { closeWithin, watchUnused } from './http/close-within.ts';
import { listenForMetrics } from './observe/metrics-listener.ts';
import { startTracing } from './observe/tracing.ts';
import type { ApiPorts } from './ports.ts';
import { createRateOf } from './prices.ts';
import { createLaneWaker } from './settle/lane-waker.ts';
import { createOutcomeWaits } from './settle/outcome-waits.ts';
import { createSettlementClient, NO_SETTLEMENT } from './settle/settlement-client.ts';
import { createTransferPorts } from './solana/transfer-ports.ts';

export type RunningApi = {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly metricsUrl: string;
  /** Not ready at once; open requests finish within the configured time; then nothing of it is left. */
  readonly stop: () => Promise<void>;
};

export type StartOptions = { readonly clock?: Clock; readonly logger?: Logger };

const CODES_PER_BLOCK = 100;
/** A lost notification costs this much at most. */
const OUTCOME_POLL_MS = 1_000;
const MAX_SETTLE_WAITS = 10_000;
const WAKE_PAUSE_MS = 100;
const SETTLEMENT_TIMEOUT_MS = 10_000;

export async function startApi(config: ApiConfig, options: StartOptions = {}): Promise<RunningApi> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger('api', config.logLevel);
  const onProblem = (problem: Error) => logger.warn({ err: problem }, 'database connection lost');
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-api',
    maxConnections: config.databasePool,
    statementTimeoutMs: config.statementTimeoutMs,
    byKeys: true,
    onConnectionLost: onProblem,
  });
  const stores = createApiStores(database, { clock, memoryMs: config.memoryMs });
  const watcher = watchIntents(config.databaseUrl, onProblem);
  const watchIntent: ApiPorts['watchIntent'] = async (intentId, onChange) => watcher.watch(intentId, onChange);
  const waits = createOutcomeWaits({
    watchIntent,
    findEnded: stores.findEnded,
    pollMs: OUTCOME_POLL_MS,
    max: MAX_SETTLE_WAITS,
    onProblem: (problem) => logger.warn({ err: problem }, 'waiting payments could not be looked at'),
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
          onProblem: (problem) => logger.warn({ err: problem }, 'a lane could not be woken; its payments stay queued'),
        });
  const { settlementUrls, internalKey } = config;
  const uptoSettles = settlementUrls !== undefined && internalKey !== undefined;
  const settlement = uptoSettles
    ? createSettlementClient({
        urls: settlementUrls,
        internalKey,
        timeoutMs: SETTLEMENT_TIMEOUT_MS,
        onProblem: (problem) => logger.warn({ err: problem }, 'settlement could not be asked'),
      })
    : NO_SETTLEMENT;
  const pendingMigrations = await createPendingMigrations(database.pool);
  const tracing = config.traceUrl === undefined ? undefined : await startTracing(config.traceUrl);

  const onChainProblem = (network: NetworkId, problem: unknown) =>
    logger.warn({ err: problem, network }, 'the chain could not be asked');
  const timeoutMs = config.rpcTimeoutMs;
  const chains = createChainReads({ rpcUrls: config.rpcUrls, timeoutMs, onProblem: onChainProblem });
  const transfers = createTransferPorts({
    stores: stores.transfers,
    clusters: config.clusters,
    timeoutMs,
    clock,
    onProblem: onChainProblem,
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
      networks: config.networks,
      facilitatorUrl: config.publicUrl ?? null,
      rateOf: createRateOf(config, clock, logger),
      nextIntentCode: createIntentCodes(stores.reserveIntentCodes, CODES_PER_BLOCK),
      watchIntent,
      ...chains,
      ...transfers,
      verifyAuthorization: (terms, place) =>
        familyOf(terms.acceptance.network) === 'solana'
          ? transfers.verifyMessage(terms, place)
          : chains.verifyAuthorization(terms, place),
      settleWaitMs: config.settleWaitMs,
      awaitEnd: waits.awaitEnd,
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
      max: config.streamsMax,
      heartbeatMs: config.streamHeartbeatMs,
      pollMs: config.streamPollMs,
      lifeMs: config.streamLifeMs,
    },
    settleWaits: waits.count,
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies ?? [],
    docsUrl: `${config.publicUrl ?? ''}/reference`,
    requestTimeoutMs: config.requestTimeoutMs,
    poolStats: () => database.pool,
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
  logger.info({ host: config.host, port, metricsPort: metrics.port }, 'listening');

  return {
    app: api.app,
    url: `http://${urlHost(config.host)}:${port}`,
    metricsUrl: `http://${urlHost(config.metricsHost)}:${metrics.port}/metrics`,
    async stop() {
      logger.info('stopping');
      api.beginStop();
      waits.endAll();
      await closeWithin(api.app, unused, config.stopTimeoutMs, () => logger.warn('requests were cut off'));
      await metrics.close();
      await closeConnections();
      logger.info('stopped');
    },
  };
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host);

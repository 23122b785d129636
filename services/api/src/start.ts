// Starts the API: database, listeners, and the order of shutdown.
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import {
  type Clock,
  createIntentCodes,
  createSealer,
  LANE_DRAIN,
  laneKey,
  pepperBytes,
  readerJob,
  systemClock,
  useExplorers,
  wholeUsd,
} from '@svc-pay/core';
import { createHastenJob, createWakeDrain } from '@svc-pay/engine/wake';
import {
  countConnections,
  createApiStores,
  createInstallationId,
  createPendingMigrations,
  createQuotaStore,
  DENY_LIST,
  findEndedKeys,
  loadDenied,
  openDatabase,
  watchIntents,
} from '@svc-pay/postgres';
import { createExportStore, createListStores, createMerchantStores, LIST_POOL } from '@svc-pay/postgres/merchant-api';
import { createLogger, type Logger } from '@svc-pay/runtime/logging';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import type { FastifyInstance } from 'fastify';
import { followDenials } from './abuse/denials.ts';
import { createTraces } from './abuse/traces.ts';
import { createApi } from './app.ts';
import type { ApiConfig } from './config.ts';
import { closeWithin, watchUnused } from './http/close-within.ts';
import { createKeyUses } from './http/key-uses.ts';
import { concurrentExports } from './limit/concurrent-exports.ts';
import { createUnsentPages } from './limit/unsent-pages.ts';
import { listenForMetrics } from './observe/metrics-listener.ts';
import { startTracing } from './observe/tracing.ts';
import { createPaymentFamilies, createRefundFamilies } from './payment-families.ts';
import type { ApiPorts } from './ports.ts';
import { createRateOf } from './prices.ts';
import { createAnswerMarks } from './settle/answer-marks.ts';
import { createLaneWaker } from './settle/lane-waker.ts';
import { createOutcomeWaits } from './settle/outcome-waits.ts';
import { createReaderWaker } from './settle/reader-waker.ts';
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
/** Notifications tell results. These looks are for those that are lost. */
const OUTCOME_FIRST_LOOK_MS = 1_500;
const OUTCOME_LATER_LOOKS_MS = 10_000;
const MAX_SETTLE_WAITS = 10_000;
/** Left for the answers to sellers that wait when the process stops. */
const LAST_ANSWERS_MS = 1_000;
const WAKE_PAUSE_MS = 100;
/** A run of the chain reader asks every node, so strangers can't cause many. */
const READER_PAUSE_MS = 2_000;
const SETTLEMENT_TIMEOUT_MS = 10_000;
/** An account may have this many times the streams of one key. */
const STREAM_KEYS_PER_ACCOUNT = 2;
const FIRST_LIST_MS = 2_000;
/** Pages of exports that one process reads at a time, for all accounts. */
const EXPORTS_AT_ONCE = 2;
const KEY_USES_EVERY_MS = 60_000;
/** Answers without a mark count as lost after five seconds. */
const ANSWER_MARKS_EVERY_MS = 200;
/**
 * Connections that wait to be accepted. Node's default is 511. The kernel drops a connection that does not fit, and its client
 * tries again after 1, 3, 7 and more seconds. The kernel's own limit is net.core.somaxconn (docs/operate/sizing.md).
 */
const LISTEN_BACKLOG = 8_192;

export async function startApi(config: ApiConfig, options: StartOptions = {}): Promise<RunningApi> {
  useExplorers(config.explorers);
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger('api', config.logLevel);
  const onProblem = (problem: Error) => logEvent(logger, 'database_connection_lost', { err: problem });
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-api',
    isService: true,
    maxConnections: config.databasePool,
    statementTimeoutMs: config.statementTimeoutMs,
    byKeys: true,
    onConnectionLost: onProblem,
  });
  // Connections of their own: quotas, the deny list and changes of settings count most when all others are busy.
  const limitDatabase = openDatabase(config.databaseUrl, {
    applicationName: 'svc-api-limits',
    isService: true,
    maxConnections: 2,
    statementTimeoutMs: config.statementTimeoutMs,
    byKeys: true,
    onConnectionLost: onProblem,
  });
  const listDatabase = openDatabase(config.databaseUrl, {
    ...LIST_POOL,
    applicationName: 'svc-api-lists',
    isService: true,
    onConnectionLost: onProblem,
  });
  // Connections of their own, opened when somebody exports: a page takes longer than what others wait for.
  const exportDatabase = openDatabase(config.databaseUrl, {
    applicationName: 'svc-api-exports',
    isService: true,
    maxConnections: EXPORTS_AT_ONCE,
    statementTimeoutMs: config.statementTimeoutMs,
    byKeys: true,
    onConnectionLost: onProblem,
  });
  const stores = createApiStores(database, {
    clock,
    cacheMs: config.cacheMs,
    settingsCache: {
      entries: config.cacheEntries,
      changesPool: limitDatabase.pool,
      onChangesNotRead: (problem) => logEvent(logger, 'setting_changes_not_read', { err: problem }),
    },
  });
  const keyUses = createKeyUses({
    clock,
    record: stores.recordKeyUses,
    everyMs: KEY_USES_EVERY_MS,
    onProblem: (problem) => logEvent(logger, 'key_uses_not_recorded', { err: problem }),
  });
  const watcher = watchIntents(config.databaseUrl, onProblem);
  const watchIntent: ApiPorts['watchIntent'] = async (intentId, onChange) => watcher.watch(intentId, onChange);
  const waits = createOutcomeWaits({
    watchIntent,
    findFinished: stores.findFinished,
    firstLookMs: OUTCOME_FIRST_LOOK_MS,
    laterLooksMs: OUTCOME_LATER_LOOKS_MS,
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
  const hastenJob = config.engineIngressUrls && createHastenJob(config.engineIngressUrls);
  const wakeReader =
    hastenJob === undefined
      ? undefined
      : createReaderWaker({
          wake: (network) => hastenJob(readerJob(network)),
          nowMs: () => performance.now(),
          pauseMs: READER_PAUSE_MS,
          onProblem: (problem, network) => logEvent(logger, 'reader_not_woken', { network, err: problem }),
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
  const chainReadFailed: ApiPorts['chainReadFailed'] = (network, problem) =>
    logEvent(logger, 'chain_read_failed', { network, err: problem });
  const families = createPaymentFamilies(config, {
    stores: stores.transfers,
    isLedgerRead: stores.isLedgerRead,
    clock,
    installation,
    onProblem: chainReadFailed,
    log: (event, details) => logEvent(logger, event, details),
  });
  const peppers = pepperBytes(config.keyPeppers);
  const denials = followDenials({
    clock,
    peppers,
    load: (version) => loadDenied(limitDatabase.pool, version),
    findEndedKeys: (held, nowMs) => findEndedKeys(limitDatabase.pool, held, nowMs),
    onProblem: (problem) => logEvent(logger, 'deny_list_not_read', { err: problem }),
  });
  watcher.watch(DENY_LIST, () => void denials.refresh());
  // A process may start before its database answers; without it no key is accepted either.
  await Promise.race([denials.refresh(), setTimeout(FIRST_LIST_MS, undefined, { ref: false })]);
  const traces = createTraces({
    clock,
    hashOf: denials.hashOf,
    write: stores.writeAbuseCounts,
    deleteBefore: stores.deleteOldAbuseCounts,
    onProblem: (problem) => logEvent(logger, 'abuse_counts_not_written', { err: problem }),
  });
  const marks = createAnswerMarks({
    write: stores.markAnswers,
    everyMs: ANSWER_MARKS_EVERY_MS,
    onProblem: (problem) => logEvent(logger, 'answer_marks_not_written', { err: problem }),
  });
  const stopping = new AbortController();
  const api = createApi({
    ports: {
      ...stores,
      ...settlement,
      denials,
      isPayerDenied: denials.isPayerDenied,
      recordAttempt: (attempt) => {
        if (attempt.payer !== null) traces.payerRefused(attempt.payer);
        return stores.recordAttempt(attempt);
      },
      uptoSettles,
      ...(config.rateLimits && {
        unsettledPerPayer: wholeUsd(config.unsettledUsdPerPayer),
        openCaps: { perPayer: config.uptoOpenPerPayer, perAccount: config.uptoOpenPerAccount },
      }),
      merchant: createMerchantStores(database, clock),
      lists: createListStores(listDatabase, clock),
      exports: concurrentExports(createExportStore(exportDatabase), EXPORTS_AT_ONCE),
      unsentPages: createUnsentPages(),
      sealer: config.sealingKey && createSealer(config.sealingKey),
      endpointUrls: { allowLoopback: config.allowLoopback, deniedPorts: config.deniedPorts },
      clock,
      peppers,
      families,
      refundFamilies: createRefundFamilies(config, stores.transfers),
      chainReadFailed,
      networks: config.networks,
      facilitatorUrl: config.publicUrl ?? null,
      rateOf: createRateOf(config, clock, logger),
      priceLifeMs: config.priceLifeMs,
      nextIntentCode: createIntentCodes(stores.reserveIntentCodes, CODES_PER_BLOCK),
      watchIntent,
      settleWaitMs: config.settleWaitMs,
      sellerWaitMs: config.sellerWaitMs,
      noteAnswer: marks.note,
      payerRefused: traces.payerRefused,
      pause: (milliseconds) => setTimeout(milliseconds, true, { signal: stopping.signal }).catch(() => false),
      watchResult: waits.watchResult,
      awaitResult: waits.awaitResult,
      wakeLanes: waker?.wakeLanes ?? (() => {}),
      wakeReader: wakeReader ?? (() => {}),
      checkDatabase: async () => {
        const pending = await pendingMigrations();
        if (pending.length > 0) throw new Error(`migrations are missing: ${pending.join(', ')}`);
      },
    },
    logger,
    limits: config.rateLimits
      ? {
          quotas: {
            perKey: { live: config.rateLive, test: config.rateTest },
            perAddress: config.rateAddress,
            storedBytesPerDay: config.storedBytesPerDay,
          },
          store: createQuotaStore(limitDatabase.pool, {
            process: randomUUID(),
            ...(options.clock && { nowMs: options.clock.nowMs }),
          }),
          nowMs: options.clock?.nowMs ?? (() => performance.now()),
        }
      : undefined,
    streams: {
      limits: {
        max: config.streamsMax,
        perAddress: config.streamsPerAddress,
        perKey: config.streamsPerKey,
        perAccount: config.streamsPerKey * STREAM_KEYS_PER_ACCOUNT,
        perIntent: config.streamsPerIntent,
      },
      heartbeatMs: config.streamHeartbeatMs,
      pollMs: config.streamPollMs,
      lifeMs: config.streamLifeMs,
    },
    settleWaits: waits,
    keyUsed: keyUses.note,
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies ?? [],
    trustedHops: config.trustedHops,
    docsUrl: `${config.publicUrl ?? ''}/reference/errors`,
    requestTimeoutMs: config.requestTimeoutMs,
    queueMs: config.queueMs,
    poolStats: () => countConnections(database),
    traces,
    denyList: denials,
    ...(tracing && { tracer: tracing.tracer }),
  });

  const closeConnections = async () => {
    const rounds = [api.quotaRounds?.stop(), denials.stop(), traces.stop(), keyUses.stop(), marks.stop()];
    await Promise.all([watcher.close(), waker?.stop(), tracing?.stop(), ...rounds]);
    await Promise.all([database, limitDatabase, listDatabase, exportDatabase].map((pool) => pool.close()));
  };
  const listen = async () => {
    await api.quotaRounds?.start();
    await api.app.listen({ host: config.host, port: config.port, backlog: LISTEN_BACKLOG });
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
      await setTimeout(config.stopDelayMs);
      waits.endAll();
      const { stopTimeoutMs } = config;
      const cutOffMs = stopTimeoutMs - Math.min(LAST_ANSWERS_MS, stopTimeoutMs / 2);
      const cutOff = globalThis.setTimeout(() => {
        waits.cutOff();
        stopping.abort();
      }, cutOffMs);
      await closeWithin(api.app, unused, stopTimeoutMs, () => logEvent(logger, 'requests_cut_off'));
      clearTimeout(cutOff);
      await metrics.close();
      await closeConnections();
      logEvent(logger, 'service_stopped');
    },
  };
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host);

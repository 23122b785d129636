// Starts the console: database, listeners, removal of what is over, the fold of the overview, and the order of shutdown.
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '@svc-pay/core';
import { createPendingMigrations, openDatabase } from '@svc-pay/postgres';
import { createConsoleStores } from '@svc-pay/postgres/console-service';
import { addProbeRoutes } from '@svc-pay/runtime/http/probe-routes';
import { createLogger, type Logger } from '@svc-pay/runtime/logging';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import { type FastifyInstance, fastify } from 'fastify';
import type { ConsoleConfig } from './config.ts';
import { type ConsoleAppOptions, createConsoleApp } from './console-app.ts';
import { createConsoleMetrics } from './console-metrics.ts';
import { loadPageFiles } from './http/page-files.ts';
import { createSessionCookie } from './http/session-cookie.ts';
import { startOverviewFold } from './overview/overview-fold.ts';
import { createWebAuthn } from './passkey/web-authn.ts';

export type RunningConsole = { readonly url: string; readonly metricsUrl: string; readonly stop: () => Promise<void> };
export type StartOptions = {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly pageFolder?: string;
} & Pick<ConsoleAppOptions, 'relayWithinMs' | 'requestWithinMs'>;

const STATEMENT_TIMEOUT_MS = 10_000;
const CONNECTIONS = 8;
const REMOVE_EVERY_MS = 60_000;
const PAGE_FOLDER = fileURLToPath(new URL('../assets/generated', import.meta.url));

export async function startConsole(config: ConsoleConfig, options: StartOptions = {}): Promise<RunningConsole> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger('console', config.logLevel);
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-console',
    maxConnections: CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onConnectionLost: (problem) => logEvent(logger, 'database_connection_lost', { err: problem }),
  });
  const metrics = createConsoleMetrics();
  const stores = createConsoleStores(database);
  const app = createConsoleApp({
    stores,
    clock,
    logger,
    metrics,
    origin: config.publicUrl,
    cookie: createSessionCookie({ secure: config.publicUrl.startsWith('https:') }),
    webAuthn: createWebAuthn(stores, clock, config.publicUrl),
    apiUrl: config.apiUrl,
    adminUrl: config.adminUrl,
    trustedProxies: config.trustedProxies,
    relayWithinMs: options.relayWithinMs,
    requestWithinMs: options.requestWithinMs,
    pageFiles: loadPageFiles(options.pageFolder ?? PAGE_FOLDER),
  });
  const probes = fastify() as unknown as FastifyInstance;
  const pendingMigrations = await createPendingMigrations(database);
  addProbeRoutes(probes, {
    findObstacles: async () => (await pendingMigrations()).map((name) => `migration ${name} is missing`),
    metrics: () => metrics.registry.metrics(),
  });
  const close = async () => {
    await app.close();
    await probes.close();
    await database.close();
  };
  const listening = Promise.all([
    app.listen({ host: config.host, port: config.port }),
    probes.listen({ host: config.metricsHost, port: config.metricsPort }),
  ]);
  await listening.catch(async (problem: unknown) => {
    await close();
    throw problem;
  });
  const removal = setInterval(() => {
    stores
      .removeOldSignIns(clock.nowMs())
      .catch((problem: unknown) => logEvent(logger, 'console_removal_failed', { err: problem }));
  }, REMOVE_EVERY_MS);
  const overviewFold = startOverviewFold({
    fold: stores.foldOverview,
    clock,
    onProblem: (problem) => logEvent(logger, 'overview_fold_failed', { err: problem }),
  });
  metrics.tellOverviewLag(overviewFold.lagMs);
  const { port } = app.server.address() as AddressInfo;
  const { port: metricsPort } = probes.server.address() as AddressInfo;
  logEvent(logger, 'service_listening', { host: config.host, port });
  return {
    url: `http://${hostIn(config.host)}:${port}`,
    metricsUrl: `http://${hostIn(config.metricsHost)}:${metricsPort}`,
    stop: async () => {
      logEvent(logger, 'service_stopping');
      clearInterval(removal);
      await overviewFold.stop();
      await close();
      logEvent(logger, 'service_stopped');
    },
  };
}

const hostIn = (host: string): string => (host.includes(':') ? `[${host}]` : host);

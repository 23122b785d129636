// Starts the admin service: database, listener, and the order of shutdown.
import type { AddressInfo } from 'node:net';
import { type Clock, createAuditSigner, createSealer, pepperBytes, systemClock } from '@svc-pay/core';
import { createPendingMigrations, openDatabase } from '@svc-pay/postgres';
import { createAdminStores } from '@svc-pay/postgres/admin-service';
import { addProbeRoutes } from '@svc-pay/runtime/http/probe-routes';
import { createLogger, type Logger } from '@svc-pay/runtime/logging';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import { createAdminApp } from './admin-app.ts';
import { createAdminMetrics } from './admin-metrics.ts';
import { startAuditExport } from './audit-export.ts';
import type { AdminConfig } from './config.ts';

export type RunningAdmin = { readonly url: string; readonly stop: () => Promise<void> };
export type StartOptions = { readonly clock?: Clock; readonly logger?: Logger };

const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECTIONS = 4;
const AUDIT_EXPORT_EVERY_MS = 3_600_000;

export async function startAdmin(config: AdminConfig, options: StartOptions = {}): Promise<RunningAdmin> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger('admin', config.logLevel);
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-admin',
    maxConnections: CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onConnectionLost: (problem) => logEvent(logger, 'database_connection_lost', { err: problem }),
  });
  const peppers = pepperBytes(config.keyPeppers);
  const stores = createAdminStores(database, { pepper: peppers[0], box: createSealer(config.sealingKey) });
  const metrics = createAdminMetrics();
  const app = createAdminApp({
    clock,
    logger,
    peppers,
    onAnswered: metrics.answered,
    ...stores,
  });
  const pendingMigrations = await createPendingMigrations(database);
  addProbeRoutes(app, {
    findObstacles: async () => (await pendingMigrations()).map((name) => `migration ${name} is missing`),
    metrics: () => metrics.registry.metrics(),
  });
  await app.listen({ host: config.host, port: config.port }).catch(async (problem: unknown) => {
    await database.close();
    throw problem;
  });
  const { auditSigningKey: auditKey } = config;
  const auditExport =
    auditKey &&
    startAuditExport({
      everyMs: AUDIT_EXPORT_EVERY_MS,
      exportHeads: () => stores.exportAuditHeads(clock.nowMs(), createAuditSigner(auditKey)),
      file: config.auditExportFile,
      log: (event, details) => logEvent(logger, event, details),
      onExported: metrics.headsExported,
    });
  const { port } = app.server.address() as AddressInfo;
  logEvent(logger, 'service_listening', { host: config.host, port });
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    stop: async () => {
      logEvent(logger, 'service_stopping');
      await app.close();
      await auditExport?.stop();
      await database.close();
      logEvent(logger, 'service_stopped');
    },
  };
}

// Starts webhooks: shards that claim and send, the periodic job that wakes them, and the internal listener.
import type { AddressInfo } from 'node:net';
import {
  type AddressPolicy,
  type Clock,
  createSecretBox,
  type Random,
  type RecordedDeliveries,
  systemClock,
} from '@svc-pay/core';
import { createWakeDrain, serveEngineWork } from '@svc-pay/engine';
import { ANY_INTENT, createPendingMigrations, type Database, openDatabase, watchIntents } from '@svc-pay/postgres';
import { createWebhookStores, type FailingEndpoint } from '@svc-pay/postgres/webhooks-service';
import { addProbeRoutes } from '@svc-pay/runtime/http/probe-routes';
import { createLogger, type Logger } from '@svc-pay/runtime/logging';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import { fastify } from 'fastify';
import type { WebhooksConfig } from './config.ts';
import { attemptDelivery } from './dispatch/attempt-delivery.ts';
import { createDispatcher, type Dispatcher, type DispatcherDeps } from './dispatch/dispatcher.ts';
import { createDeliveryDrain, wakeIdleShards } from './dispatch/drain.ts';
import { replayJob, warningJob } from './dispatch/endpoint-maintenance.ts';
import { createPace } from './dispatch/endpoint-pace.ts';
import { restDeliveryJobs } from './dispatch/lookout.ts';
import { createRecorder } from './dispatch/recorder.ts';
import { createDeliveryMetrics, type DeliveryMetrics } from './observe-deliveries.ts';
import { createOpenSecrets } from './request/open-secrets.ts';
import { createConnections } from './send/connections.ts';
import { createDial } from './send/dial.ts';
import { createOwnAddresses } from './send/own-addresses.ts';
import { createResolveName } from './send/resolve-name.ts';
import { createSendRequest } from './send/send-request.ts';

export type RunningWebhooks = {
  readonly url: string;
  readonly engineUrl: string;
  readonly stop: () => Promise<void>;
};

export type StartOptions = {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Test hook that changes a dispatcher's deps: a pause point, a shorter lease or a bug. */
  readonly injectFault?: (deps: DispatcherDeps, database: Database) => DispatcherDeps;
};

const STATEMENT_TIMEOUT_MS = 30_000;
const TRANSACTION_PAUSE_MS = 10_000;
const GRACE_MS = 8_000;
const TURN_MS = 1_000;
/** Twice the longest timeout that an endpoint may have. */
const LEASE_MS = 60_000;

export async function startWebhooks(config: WebhooksConfig, options: StartOptions = {}): Promise<RunningWebhooks> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger('webhooks', config.logLevel);
  const onConnectionLost = (problem: Error) => logEvent(logger, 'database_connection_lost', { err: problem });
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-webhooks',
    isService: true,
    maxConnections: config.databasePool,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    transactionPauseMs: TRANSACTION_PAUSE_MS,
    byKeys: true,
    readInOrder: true,
    onConnectionLost,
  });
  const { deliveries, endpoints, loadOpenDeliveries } = createWebhookStores(database);
  const { dispatcher, metrics, close } = createSending(config, {
    database,
    clock,
    logger,
    ...(options.injectFault !== undefined && { injectFault: options.injectFault }),
  });
  const setup = { store: deliveries, clock, modes: config.modes, shards: config.shards };
  const tending = {
    store: endpoints,
    clock,
    modes: config.modes,
    onFailing: (endpoint: FailingEndpoint) => {
      metrics.warned(endpoint.mode);
      logEvent(logger, 'endpoint_failing', endpoint);
    },
  };
  const lookout = restDeliveryJobs(
    {
      lookout: wakeIdleShards(setup, config.pollMs, createWakeDrain(config.engineIngressUrls)),
      replays: replayJob(tending),
    },
    {
      loadOpen: loadOpenDeliveries,
      clock,
      modes: config.modes,
      everyMs: config.pollMs,
      onProblem: (problem) => logEvent(logger, 'delivery_not_handled', { err: problem }),
    },
  );
  // The commit that ends a payment announces it to those who wait for its answer; it also writes deliveries.
  const watcher = watchIntents(config.databaseUrl, onConnectionLost);
  watcher.watch(ANY_INTENT, lookout.lookSoon);
  const work = await serveEngineWork({
    drains: [createDeliveryDrain(setup, dispatcher)],
    jobs: [...lookout.jobs, warningJob(tending)],
    host: config.engineHost,
    port: config.enginePort,
    ...(config.engineOwnUrl !== undefined && { advertisedUrl: config.engineOwnUrl }),
    identityKeys: config.engineIdentityKeys ?? [],
    adminUrls: config.engineAdminUrls,
    ingressUrls: config.engineIngressUrls,
    log: (event, details) => logEvent(logger, event, details),
  });
  const pendingMigrations = await createPendingMigrations(database);
  // Health and readiness probes, on a listener that is not public.
  const listener = fastify({ logger: false });
  addProbeRoutes(listener, {
    findObstacles: async () => [
      ...(await pendingMigrations()).map((name) => `migration ${name} is missing`),
      ...(work.isRegistered() ? [] : ['the engine does not know this process']),
    ],
    metrics: metrics.read,
  });
  await listener.listen({ host: config.host, port: config.port });
  work.keepRegistered();
  const { port } = listener.server.address() as AddressInfo;
  logEvent(logger, 'service_listening', { host: config.host, port, engineUrl: work.url, modes: config.modes });
  return {
    url: `http://${config.host}:${port}`,
    engineUrl: work.url,
    stop: async () => {
      logEvent(logger, 'service_stopping');
      await Promise.all([lookout.stop(), watcher.close()]);
      await dispatcher.stop(GRACE_MS);
      await work.stop();
      await listener.close();
      await close();
      await database.close();
      logEvent(logger, 'service_stopped');
    },
  };
}

type SendingDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random?: Random;
  readonly turnMs?: number;
  /** Trusted certificates, instead of the default ones. */
  readonly ca?: string;
  readonly injectFault?: NonNullable<StartOptions['injectFault']>;
};

export type RunningDispatch = {
  readonly dispatcher: Dispatcher;
  readonly metrics: DeliveryMetrics;
  readonly close: () => Promise<void>;
};

/** Wires everything from the claimed row to the report, without the engine. */
export function createSending(config: WebhooksConfig, deps: SendingDeps): RunningDispatch {
  const { database, clock, logger, random = Math.random, turnMs = TURN_MS, ca, injectFault = (given) => given } = deps;
  const ownAddresses = createOwnAddresses();
  const policyOf = (): AddressPolicy => ({
    allowLoopback: config.allowLoopback,
    alsoDenied: [...config.deniedAddresses, ...ownAddresses()],
  });
  const connections = createConnections(
    createDial({ resolveName: createResolveName({ servers: config.dnsServers }), policyOf, ca }),
  );
  const { deliveries: store, measureDeliveries } = createWebhookStores(database);
  const send = createSendRequest(connections);
  const secrets = createOpenSecrets(store, createSecretBox(config.masterKeys), clock);
  const pace = createPace(config.concurrency, config.perEndpoint);
  const metrics = createDeliveryMetrics({
    modes: config.modes,
    underWay: () => config.concurrency - pace.free().general - pace.free().kept,
    measure: () => measureDeliveries(config.modes, clock.nowMs()),
    onProblem: (problem) => logEvent(logger, 'database_not_measured', { err: problem }),
  });
  const onProblem = (problem: unknown, ids: object) =>
    logEvent(logger, 'delivery_not_handled', { ...ids, err: problem });
  const onRecorded = ({ count, givenUp, switchedOff }: RecordedDeliveries, of: number) => {
    if (count < of) {
      metrics.voided(of - count);
      logEvent(logger, 'delivery_reports_late', { count: of - count });
    }
    for (const mode of givenUp) metrics.gaveUp(mode);
    for (const endpoint of switchedOff) {
      metrics.switchedOff(endpoint.reason);
      logEvent(logger, 'endpoint_switched_off', endpoint);
    }
  };
  const dispatcherDeps: DispatcherDeps = {
    store,
    clock,
    modes: config.modes,
    pace,
    recorder: createRecorder({ store, clock, onRecorded, onProblem }),
    turnMs,
    leaseMs: LEASE_MS,
    prepare: secrets.prepare,
    attempt: (delivery, stopped) =>
      attemptDelivery(delivery, { secrets, send, clock, random, deniedPorts: config.deniedPorts }, stopped),
    onReport: metrics.attempted,
    onProblem,
  };
  const dispatcher = createDispatcher(injectFault(dispatcherDeps, database));
  return { dispatcher, metrics, close: connections.close };
}

// Webhooks as one value: shards that claim and send, the lookout that wakes them, and the internal listener.
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
import { createLogger, type Logger } from '@svc-pay/observe';
import { createPendingMigrations, openDatabase } from '@svc-pay/postgres';
import { createDeliveryStore, type FailingEndpoint, measureDeliveries } from '@svc-pay/postgres/deliveries';
import type pg from 'pg';
import type { WebhooksConfig } from './config.ts';
import { attemptDelivery } from './dispatch/attempt-delivery.ts';
import { createDispatcher, type Dispatcher, type DispatcherParts } from './dispatch/dispatcher.ts';
import { createDeliveryDrain, createLookout } from './dispatch/drain.ts';
import { createPace } from './dispatch/endpoint-pace.ts';
import { createRecorder } from './dispatch/recorder.ts';
import { recoveryPulse, warningPulse } from './dispatch/tend-endpoints.ts';
import { createInternalListener } from './http/internal-listener.ts';
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
  /** What a test puts in the way of a dispatcher: a place to stop at, a shorter lease, or a bug. */
  readonly bend?: (parts: DispatcherParts, pool: pg.Pool) => DispatcherParts;
};

const STATEMENT_TIMEOUT_MS = 30_000;
const TRANSACTION_PAUSE_MS = 10_000;
const GRACE_MS = 8_000;
const TURN_MS = 1_000;
/** The longest timeout that an endpoint may have is half of it. */
const LEASE_MS = 60_000;

export async function startWebhooks(config: WebhooksConfig, options: StartOptions = {}): Promise<RunningWebhooks> {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger('webhooks', config.logLevel);
  const database = openDatabase(config.databaseUrl, {
    applicationName: 'svc-webhooks',
    maxConnections: config.databasePool,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    transactionPauseMs: TRANSACTION_PAUSE_MS,
    byKeys: true,
    readInOrder: true,
    onConnectionLost: (problem) => logger.warn({ err: problem }, 'database connection lost'),
  });
  const { pool } = database;
  const { dispatcher, metrics, close } = createSending(config, {
    pool,
    clock,
    logger,
    ...(options.bend !== undefined && { bend: options.bend }),
  });
  const setup = { store: createDeliveryStore(pool), clock, modes: config.modes, shards: config.shards };
  const tending = {
    pool,
    clock,
    modes: config.modes,
    onFailing: (endpoint: FailingEndpoint) => {
      metrics.warned(endpoint.mode);
      logger.warn(endpoint, 'an endpoint fails and will be switched off');
    },
  };
  const work = await serveEngineWork({
    drains: [createDeliveryDrain(setup, dispatcher)],
    pulses: [
      createLookout(setup, config.lookoutMs, createWakeDrain(config.engineIngressUrls)),
      recoveryPulse(tending),
      warningPulse(tending),
    ],
    host: config.engineHost,
    port: config.enginePort,
    ...(config.engineOwnUrl !== undefined && { advertisedUrl: config.engineOwnUrl }),
    identityKeys: config.engineIdentityKeys ?? [],
    adminUrls: config.engineAdminUrls,
    ingressUrls: config.engineIngressUrls,
    log: (level, message) => logger[level]({ part: 'engine' }, message),
  });
  const pendingMigrations = await createPendingMigrations(pool);
  const listener = createInternalListener({
    findObstacles: async () => [
      ...(await pendingMigrations()).map((name) => `migration ${name} is missing`),
      ...(work.isRegistered() ? [] : ['the engine does not know this process']),
    ],
    metrics: metrics.read,
  });
  await listener.listen({ host: config.host, port: config.port });
  work.keepRegistered();
  const { port } = listener.server.address() as AddressInfo;
  logger.info({ host: config.host, port, engineUrl: work.url, modes: config.modes }, 'listening');
  return {
    url: `http://${config.host}:${port}`,
    engineUrl: work.url,
    stop: async () => {
      logger.info('stopping');
      await dispatcher.stop(GRACE_MS);
      await work.stop();
      await listener.close();
      await close();
      await database.close();
      logger.info('stopped');
    },
  };
}

type SendingParts = {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random?: Random;
  readonly turnMs?: number;
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string;
  readonly bend?: NonNullable<StartOptions['bend']>;
};

export type Sending = {
  readonly dispatcher: Dispatcher;
  readonly metrics: DeliveryMetrics;
  readonly close: () => Promise<void>;
};

/** Everything between a claimed row and its report, without the engine that drives it. */
export function createSending(config: WebhooksConfig, parts: SendingParts): Sending {
  const { pool, clock, logger, random = Math.random, turnMs = TURN_MS, ca, bend = (given) => given } = parts;
  const ownAddresses = createOwnAddresses();
  const policyOf = (): AddressPolicy => ({
    allowLoopback: config.allowLoopback,
    alsoDenied: [...config.deniedAddresses, ...ownAddresses()],
  });
  const connections = createConnections(
    createDial({ resolveName: createResolveName({ servers: config.dnsServers }), policyOf, ca }),
  );
  const store = createDeliveryStore(pool);
  const send = createSendRequest(connections);
  const secrets = createOpenSecrets(store, createSecretBox(config.masterKeys), clock);
  const pace = createPace(config.concurrency, config.perEndpoint);
  const metrics = createDeliveryMetrics({
    modes: config.modes,
    underWay: () => config.concurrency - pace.free(),
    measure: () => measureDeliveries(pool, config.modes, clock.nowMs()),
    onProblem: (problem) => logger.warn({ err: problem }, 'the database could not be measured'),
  });
  const onProblem = (problem: unknown) => logger.error({ err: problem }, 'a delivery could not be handled');
  const onRecorded = ({ count, switchedOff }: RecordedDeliveries, of: number) => {
    if (count < of) {
      metrics.voided(of - count);
      logger.warn({ count: of - count }, 'reports came after their lease and do not count');
    }
    for (const endpoint of switchedOff) {
      metrics.switchedOff(endpoint.reason);
      logger.warn(endpoint, 'an endpoint was switched off');
    }
  };
  const dispatcherParts: DispatcherParts = {
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
  const dispatcher = createDispatcher(bend(dispatcherParts, pool));
  return { dispatcher, metrics, close: connections.close };
}

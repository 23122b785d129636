// Metrics of the API. Labels are few and fixed: route templates, never addresses or ids.
import { SETTLE_STATUSES } from '@svc-pay/protocol';
import { LAG_EVERY_MS } from '@svc-pay/runtime/process/event-loop';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type PoolStats = { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number };

export type DenyListStats = { readonly entries: () => number; readonly ageMs: () => number };

export type Metrics = {
  readonly registry: Registry;
  readonly requestEnded: (route: string, method: string, status: number, seconds: number) => void;
  readonly intentCreated: (mode: string, answer: 'payment_required' | 'fallback' | 'regular') => void;
  readonly settleAnswered: (mode: string, status: string) => void;
  readonly answerReplayed: (route: string) => void;
  readonly requestLimited: (by: { readonly policy: string; readonly class: string }) => void;
  /** Returns the Prometheus text and its content type. */
  readonly read: () => Promise<{ readonly contentType: string; readonly body: string }>;
};

export type QuotaGauges = {
  readonly late: () => boolean;
  readonly names: () => number;
  readonly liveProcesses: () => number;
};

export type Gauges = {
  /** Undefined when rate limits are switched off. */
  readonly quotas: QuotaGauges | undefined;
  readonly streams: () => number;
  readonly settleWaits: () => number;
  readonly pool: () => PoolStats;
  readonly denyList: DenyListStats;
};

export function createMetrics(gauges: Gauges): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered',
    labelNames: ['route', 'method', 'status'] as const,
    registers: [register],
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer; streams are left out',
    labelNames: ['route', 'method'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [register],
  });
  const intents = new Counter({
    name: 'intents_created_total',
    help: 'Intents created, by what was answered',
    labelNames: ['mode', 'answer'] as const,
    registers: [register],
  });
  const settles = new Counter({
    name: 'settle_answers_total',
    help: 'Settle requests answered, by status',
    labelNames: ['mode', 'status'] as const,
    registers: [register],
  });
  const replays = new Counter({
    name: 'idempotent_replays_total',
    help: 'Stored answers given again',
    labelNames: ['route'] as const,
    registers: [register],
  });
  const limited = new Counter({
    name: 'requests_limited_total',
    help: 'Requests refused by a quota, by its scope and its class of requests',
    labelNames: ['policy', 'class'] as const,
    registers: [register],
  });
  // Each series starts at 0: a monitor sees no increase in a series that begins with its first event.
  for (const mode of ['test', 'live']) for (const status of SETTLE_STATUSES) settles.inc({ mode, status }, 0);
  gauge(register, 'stream_connections', 'Event streams open now', gauges.streams);
  gauge(register, 'settle_waits', 'Settle requests that wait for their payment now', gauges.settleWaits);
  gauge(register, 'deny_list_entries', 'Entries of the deny list in effect', gauges.denyList.entries);
  gauge(
    register,
    'deny_list_age_seconds',
    'Time since the deny list was last compared with the database',
    () => gauges.denyList.ageMs() / 1_000,
  );
  gauge(register, 'database_connections', 'Connections of the pool', () => gauges.pool().totalCount);
  gauge(
    register,
    'database_connections_idle',
    'Connections of the pool that wait for work',
    () => gauges.pool().idleCount,
  );
  gauge(register, 'database_waiting', 'Requests that wait for a connection', () => gauges.pool().waitingCount);
  const { quotas } = gauges;
  gauge(register, 'quota_leases_late', '1 while the database leases no quota', () => (quotas?.late() ? 1 : 0));
  gauge(register, 'quota_names', 'Quotas that this process knows of now', () => quotas?.names() ?? 0);
  gauge(
    register,
    'quota_processes',
    'API processes that share the quotas, this one included',
    () => quotas?.liveProcesses() ?? 1,
  );

  return {
    registry: register,
    requestEnded(route, method, status, seconds) {
      requests.inc({ route, method, status });
      if (!route.endsWith('/stream')) durations.observe({ route, method }, seconds);
    },
    intentCreated: (mode, answer) => intents.inc({ mode, answer }),
    settleAnswered: (mode, status) => settles.inc({ mode, status }),
    answerReplayed: (route) => replays.inc({ route }),
    requestLimited: ({ policy, class: of }) => limited.inc({ policy, class: of }),
    read: async () => ({ contentType: register.contentType, body: await register.metrics() }),
  };
}

function gauge(register: Registry, name: string, help: string, read: () => number): void {
  register.registerMetric(
    new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(read());
      },
    }),
  );
}

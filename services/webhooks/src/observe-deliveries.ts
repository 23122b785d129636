// Metrics of the webhooks service. Labels are few and fixed, never an address or an id.
import type { AttemptOutcome, DeliveryReport, EndpointOffReason, Mode } from '@svc-pay/core';
import type { DeliveryMeasures } from '@svc-pay/postgres/webhooks-service';
import { type Id, timeOfId } from '@svc-pay/protocol/ids';
import { LAG_EVERY_MS } from '@svc-pay/runtime/process/event-loop';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type DeliveryMetrics = {
  readonly registry: Registry;
  readonly attempted: (report: DeliveryReport) => void;
  /** Counts reports that arrived after another process had claimed the delivery. */
  readonly voided: (count: number) => void;
  /** A delivery has no retries left, and its endpoint is enabled. */
  readonly gaveUp: (mode: Mode) => void;
  readonly switchedOff: (reason: string) => void;
  /** Counts warnings that an endpoint will soon be switched off. */
  readonly warned: (mode: string) => void;
  /** Reads the database for each call. If that fails, database metrics are left out instead of reported stale. */
  readonly read: () => Promise<string>;
};

type Deps = {
  readonly modes: readonly Mode[];
  readonly underWay: () => number;
  readonly measure: () => Promise<DeliveryMeasures>;
  readonly onProblem: (problem: unknown) => void;
};

const OUTCOMES: readonly AttemptOutcome[] = [
  'succeeded',
  'refused',
  'timed_out',
  'unreachable',
  'blocked',
  'our_fault',
];
const OFF_REASONS: readonly EndpointOffReason[] = ['gone', 'failing'];
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createDeliveryMetrics({ modes, underWay, measure, onProblem }: Deps): DeliveryMetrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  const attempts = new Counter({
    name: 'delivery_attempts_total',
    help: 'Attempts by how they went',
    labelNames: ['mode', 'outcome'] as const,
    registers,
  });
  const ends = new Counter({
    name: 'deliveries_given_up_total',
    help: 'Deliveries whose retries are used up',
    labelNames: ['mode'] as const,
    registers,
  });
  const requests = new Histogram({
    name: 'delivery_request_seconds',
    help: 'Time of one request, from its name to its answer',
    buckets: SECONDS,
    registers,
  });
  const waits = new Histogram({
    name: 'delivery_first_attempt_seconds',
    help: 'Time from the event to the first attempt',
    buckets: SECONDS,
    registers,
  });
  const voids = new Counter({ name: 'delivery_reports_void_total', help: 'Reports after the lease', registers });
  const off = new Counter({
    name: 'endpoints_switched_off_total',
    help: 'Endpoints switched off by this process',
    labelNames: ['reason'] as const,
    registers,
  });
  const warnings = new Counter({
    name: 'endpoint_warnings_total',
    help: 'Endpoints named as about to be switched off, each once a day',
    labelNames: ['mode'] as const,
    registers,
  });
  const gauge: Gauge = new Gauge({
    name: 'delivery_requests_under_way',
    help: 'Requests under way now',
    collect: () => gauge.set(underWay()),
    registers: [],
  });
  register.registerMetric(gauge);
  const due = new Gauge({
    name: 'deliveries_due',
    help: 'Due and not taken up, by whether their endpoint is well or failing; counted up to 10,000',
    labelNames: ['health'] as const,
    registers,
  });
  const oldest = new Gauge({
    name: 'deliveries_due_oldest_seconds',
    help: 'How long the oldest of them has been due',
    labelNames: ['health'] as const,
    registers,
  });
  const failing = new Gauge({
    name: 'endpoints_failing',
    help: 'Endpoints that are on and have had nothing but failures for a while',
    labelNames: ['mode'] as const,
    registers,
  });
  const longest = new Gauge({
    name: 'endpoints_failing_longest_seconds',
    help: 'For how long the worst of them has',
    labelNames: ['mode'] as const,
    registers,
  });
  const offNow = new Gauge({
    name: 'endpoints_off',
    help: 'Endpoints that are switched off, by why',
    labelNames: ['mode', 'reason'] as const,
    registers,
  });
  // Each series starts at 0: a monitor sees no increase in a series that begins with its first event.
  for (const mode of modes) {
    ends.inc({ mode }, 0);
    warnings.inc({ mode }, 0);
    for (const outcome of OUTCOMES) attempts.inc({ mode, outcome }, 0);
  }
  for (const reason of OFF_REASONS) off.inc({ reason }, 0);
  const show = (seen: DeliveryMeasures) => {
    for (const { health, count, oldestSeconds } of seen.due) {
      due.set({ health }, count);
      oldest.set({ health }, oldestSeconds);
    }
    for (const { mode, count, longestSeconds } of seen.failing) {
      failing.set({ mode }, count);
      longest.set({ mode }, longestSeconds);
    }
    for (const { mode, reason, count } of seen.off) offNow.set({ mode, reason }, count);
  };
  return {
    registry: register,
    attempted: ({ delivery, record }) => {
      attempts.inc({ mode: delivery.mode, outcome: record.outcome });
      requests.observe(record.totalMs / 1_000);
      if (delivery.attempt === 1) {
        waits.observe(Math.max(0, record.startedAtMs - timeOfId(delivery.eventId as Id<'event'>)) / 1_000);
      }
    },
    voided: (count) => voids.inc(count),
    gaveUp: (mode) => ends.inc({ mode }),
    switchedOff: (reason) => off.inc({ reason }),
    warned: (mode) => warnings.inc({ mode }),
    read: async () => {
      const seen = await measure().catch(onProblem);
      for (const each of [due, oldest, failing, longest, offNow]) each.reset();
      if (seen !== undefined) show(seen);
      return register.metrics();
    },
  };
}

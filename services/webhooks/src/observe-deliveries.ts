// What an operator watches. Labels are few and fixed, never an address or an id.
import type { DeliveryReport } from '@svc-pay/core';
import { type Id, timeOfId } from '@svc-pay/protocol/ids';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type DeliveryMetrics = {
  readonly attempted: (report: DeliveryReport) => void;
  /** Reports that came too late to count. */
  readonly voided: (count: number) => void;
  readonly switchedOff: (reason: string) => void;
  /** An endpoint was named as about to be switched off. */
  readonly warned: (mode: string) => void;
  readonly read: () => Promise<string>;
};

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createDeliveryMetrics(underWay: () => number): DeliveryMetrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
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
  return {
    attempted: ({ delivery, record, verdict }) => {
      attempts.inc({ mode: delivery.mode, outcome: record.outcome });
      requests.observe(record.totalMs / 1_000);
      if (verdict.next === 'failed') ends.inc({ mode: delivery.mode });
      if (delivery.attempt === 1) {
        waits.observe(Math.max(0, record.startedAtMs - timeOfId(delivery.eventId as Id<'event'>)) / 1_000);
      }
    },
    voided: (count) => voids.inc(count),
    switchedOff: (reason) => off.inc({ reason }),
    warned: (mode) => warnings.inc({ mode }),
    read: () => register.metrics(),
  };
}

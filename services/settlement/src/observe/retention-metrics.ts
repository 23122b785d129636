import type { RetentionReport } from '@svc-pay/core';
import { Gauge, type Registry } from 'prom-client';

export type RetentionMeasures = RetentionReport & { readonly measuredAtMs: number };

/** Gauges without labels: the doctor names the tables. */
export function createRetentionMetrics(registry: Registry): {
  /** Undefined: the database was not read, and the gauges are left out. */
  readonly show: (seen: RetentionMeasures | undefined) => void;
} {
  const registers = [registry];
  const succeeded = new Gauge({
    name: 'retention_succeeded_age_seconds',
    help: 'Time since the last run of retention that left nothing undone',
    labelNames: [] as const,
    registers,
  });
  const ahead = new Gauge({
    name: 'partitions_ahead_days',
    help: 'Days after today that have partitions in every table, up to 92',
    labelNames: [] as const,
    registers,
  });
  const stray = new Gauge({
    name: 'partitions_default_filled',
    help: 'Default partitions that have rows, because their time had no partition',
    labelNames: [] as const,
    registers,
  });
  const expired = new Gauge({
    name: 'partitions_expired',
    help: 'Months and days of rows that are no longer kept and not dropped',
    labelNames: [] as const,
    registers,
  });
  return {
    show: (seen) => {
      for (const gauge of [succeeded, ahead, stray, expired]) gauge.remove();
      if (seen === undefined) return;
      const { tables, succeededAtMs, measuredAtMs } = seen;
      succeeded.set(Math.max(0, measuredAtMs - succeededAtMs) / 1_000);
      ahead.set(Math.min(...tables.map(({ daysAhead }) => daysAhead)));
      stray.set(tables.filter(({ hasStrayRows }) => hasStrayRows).length);
      expired.set(tables.reduce((sum, table) => sum + table.expired, 0));
    },
  };
}

// Metrics of settlement. Labels are few and fixed, never an address or id; `relayers list` shows which relayer it is.

import type { Mode } from '@svc-pay/core';
import type { BudgetMeasures, GasSpent, LaneMeasures, ReaderMeasures } from '@svc-pay/postgres/settlement-service';
import type { LogLevel } from '@svc-pay/runtime/logging/log-events';
import { LAG_EVERY_MS } from '@svc-pay/runtime/process/event-loop';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { createBudgetMetrics } from './budget-metrics.ts';
import { createGasCounters } from './gas-counters.ts';
import { createReaderMetrics, type ReaderMetrics } from './reader-metrics.ts';
import { createRetentionMetrics, type RetentionMeasures } from './retention-metrics.ts';

export type SettlementMetrics = {
  readonly registry: Registry;
  /** Counts a batch that a reorg moved into another block, with the same outcome. */
  readonly batchMoved: (network: string) => void;
  /** Counts a batch that a reorg removed: its completed payments are reversed and settled again. */
  readonly batchReversed: (network: string) => void;
  /** Counts a row that a watcher could not process, or a run that it could not finish. */
  readonly watchFailed: (network: string, watcher: string) => void;
  /** Adds the cost of recorded transactions, and the part of it that settled nothing. */
  readonly gasSpent: (spent: readonly GasSpent[]) => void;
  readonly logged: (level: LogLevel) => void;
  readonly reader: ReaderMetrics;
  /** Reads the database for each call. If that fails, database metrics are left out instead of reported stale. */
  readonly read: () => Promise<string>;
};

const NETWORK_WATCHERS = [
  'finality',
  'held',
  'authorizations',
  'registry',
  'health',
  'reader',
  'comparison',
  'gas-budget',
  'nodes',
];
const GENERAL_WATCHERS = ['reconciler', 'intent-expiry', 'audit-sealer', 'partition-maker', 'lookout'];

type Deps = {
  readonly networks: readonly string[];
  /** Up-to settlements at nearly the full cap within ten minutes: of the account with most of them, and of all. */
  readonly fullCaps?: (mode: Mode) => { readonly account: number; readonly all: number };
  readonly measure: () => Promise<
    LaneMeasures & {
      readonly reader: ReaderMeasures;
      readonly retention: RetentionMeasures;
      readonly budgets: BudgetMeasures;
    }
  >;
  readonly onProblem: (problem: unknown) => void;
};

export function createSettlementMetrics(deps: Deps): SettlementMetrics {
  const { networks, measure, onProblem, fullCaps: countFullCaps = () => ({ account: 0, all: 0 }) } = deps;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const offered = gauge('network_offered', '1 when payers are offered the network, 0 when it is withdrawn', [
    'network',
  ]);
  const withdrawn = gauge('network_withdrawn', '1 with the reason why the network is withdrawn', ['network', 'reason']);
  const checked = gauge('network_checked_age_seconds', 'Time since settlement last looked at the network', ['network']);
  const lanes = gauge('lanes', 'Active lanes, by what their relayer can do', ['network', 'duty', 'condition']);
  const waiting = gauge(
    'settlement_waiting',
    'Payments (of stage pending: batches, of stage queued_refund: refunds) that wait',
    ['network', 'stage'],
  );
  const oldest = gauge('settlement_waiting_oldest_seconds', 'Age of the oldest that waits', ['network', 'stage']);
  const strandedTransfers = gauge('stranded_transfers_open', 'Stranded money that is not where it belongs yet', [
    'network',
    'status',
  ]);
  const fullCaps = gauge(
    'upto_full_caps',
    'Up-to charges of nearly the cap in ten minutes, of the account with most and of all accounts',
    ['mode', 'of'],
  );
  const moved = new Counter({
    name: 'batches_moved_total',
    help: 'Batches that a reorganisation moved to another block',
    labelNames: ['network'] as const,
    registers,
  });
  const reversed = new Counter({
    name: 'batches_reversed_total',
    help: 'Batches that a reorganisation took back',
    labelNames: ['network'] as const,
    registers,
  });
  const watchFailures = new Counter({
    name: 'svc_settlement_watch_failures_total',
    help: 'Rows that a watcher could not deal with, and rounds that it could not finish',
    labelNames: ['network', 'watcher'] as const,
    registers,
  });
  const gas = createGasCounters(registers, networks);
  const budgets = createBudgetMetrics(registers);
  const reader = createReaderMetrics(registry, networks);
  const retention = createRetentionMetrics(registry);
  const lines = new Counter({
    name: 'log_lines_total',
    help: 'Lines that lanes and watchers logged, by level',
    labelNames: ['level'] as const,
    registers,
  });
  // Each series starts at 0: a monitor sees no increase in a series that begins with its first event.
  for (const network of networks) for (const each of [moved, reversed]) each.inc({ network }, 0);
  for (const network of networks) for (const watcher of NETWORK_WATCHERS) watchFailures.inc({ network, watcher }, 0);
  for (const watcher of GENERAL_WATCHERS) watchFailures.inc({ network: 'all', watcher }, 0);
  for (const level of ['info', 'warn', 'error']) lines.inc({ level }, 0);

  const show = (seen: LaneMeasures) => {
    for (const { network, reason, checkedSeconds } of seen.networks) {
      offered.set({ network }, reason === null ? 1 : 0);
      checked.set({ network }, checkedSeconds);
      if (reason !== null) withdrawn.set({ network, reason }, 1);
    }
    for (const { count, ...labels } of seen.lanes) lanes.set(labels, count);
    for (const { network, stage, count, oldestSeconds } of seen.stages) {
      waiting.set({ network, stage }, count);
      oldest.set({ network, stage }, oldestSeconds);
    }
    for (const { count, ...labels } of seen.strandedTransfers) strandedTransfers.set(labels, count);
  };

  return {
    registry,
    batchMoved: (network) => moved.inc({ network }),
    batchReversed: (network) => reversed.inc({ network }),
    watchFailed: (network, watcher) => watchFailures.inc({ network, watcher }),
    gasSpent: gas.count,
    logged: (level) => lines.inc({ level }),
    reader,
    read: async () => {
      const seen = await measure().catch(onProblem);
      for (const each of [offered, withdrawn, checked, lanes, waiting, oldest, strandedTransfers]) each.reset();
      reader.show(seen?.reader);
      retention.show(seen?.retention);
      budgets.show(seen?.budgets);
      if (seen !== undefined) show(seen);
      for (const mode of ['test', 'live'] as const)
        for (const [of, count] of Object.entries(countFullCaps(mode))) fullCaps.set({ mode, of }, count);
      return registry.metrics();
    },
  };
}

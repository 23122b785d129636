// What an operator watches. Labels are few and fixed, never an address or an id: which relayer it is, `relayers list` says.
import type { LaneMeasures } from '@svc-pay/postgres/lanes';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type SettlementMetrics = {
  readonly registry: Registry;
  /** A reorganisation put a batch into another block, with the same outcome. */
  readonly batchMoved: (network: string) => void;
  /** A reorganisation took a batch back: what was completed is on its way again. */
  readonly batchTakenBack: (network: string) => void;
  readonly logged: (level: 'info' | 'warn' | 'error') => void;
  /** Looks at the database anew. When that fails, what is read from there is left out rather than told old. */
  readonly read: () => Promise<string>;
};

type Parts = {
  readonly networks: readonly string[];
  readonly measure: () => Promise<LaneMeasures>;
  readonly onProblem: (problem: unknown) => void;
};

export function createSettlementMetrics({ networks, measure, onProblem }: Parts): SettlementMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const offered = gauge('network_offered', '1 when payers are offered the network, 0 when it is withdrawn', [
    'network',
  ]);
  const withdrawn = gauge('network_withdrawn', '1 with the reason why the network is withdrawn', ['network', 'reason']);
  const checked = gauge('network_checked_age_seconds', 'Time since settlement last looked at the network', ['network']);
  const lanes = gauge('lanes', 'Active lanes, by what their relayer can do', ['network', 'duty', 'condition']);
  const waiting = gauge('settlement_waiting', 'Payments (of stage flying: batches) that wait', ['network', 'stage']);
  const oldest = gauge('settlement_waiting_oldest_seconds', 'Age of the oldest that waits', ['network', 'stage']);
  const recoveries = gauge('recoveries_open', 'Stranded money that is not where it belongs yet', ['network', 'status']);
  const moved = new Counter({
    name: 'batches_moved_total',
    help: 'Batches that a reorganisation moved to another block',
    labelNames: ['network'] as const,
    registers,
  });
  const takenBack = new Counter({
    name: 'batches_taken_back_total',
    help: 'Batches that a reorganisation took back',
    labelNames: ['network'] as const,
    registers,
  });
  const lines = new Counter({
    name: 'log_lines_total',
    help: 'Lines that lanes and watchers logged, by level',
    labelNames: ['level'] as const,
    registers,
  });
  // From 0 on: of a series that begins with its first event a monitor sees no increase.
  for (const network of networks) for (const each of [moved, takenBack]) each.inc({ network }, 0);
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
    for (const { count, ...labels } of seen.recoveries) recoveries.set(labels, count);
  };

  return {
    registry,
    batchMoved: (network) => moved.inc({ network }),
    batchTakenBack: (network) => takenBack.inc({ network }),
    logged: (level) => lines.inc({ level }),
    read: async () => {
      const seen = await measure().catch(onProblem);
      for (const each of [offered, withdrawn, checked, lanes, waiting, oldest, recoveries]) each.reset();
      if (seen !== undefined) show(seen);
      return registry.metrics();
    },
  };
}

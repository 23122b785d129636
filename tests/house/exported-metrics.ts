// The metrics that the services really have, asked of the services themselves.
import { createAdminMetrics } from '@svc-pay/admin/metrics';
import { createMetrics } from '@svc-pay/api/metrics';
import { ledgerMetrics } from '@svc-pay/cli/ledger-metrics';
import { createConsoleMetrics } from '@svc-pay/console/metrics';
import { createSettlementMetrics } from '@svc-pay/settlement/metrics';
import { createDeliveryMetrics } from '@svc-pay/webhooks/metrics';

type ExportedMetric = { readonly type: string; readonly labels: ReadonlySet<string> };
export type ExportedMetrics = {
  /** By the name that an expression uses: a histogram has three. */
  readonly byName: ReadonlyMap<string, ExportedMetric>;
  /** Samples that are there before anything has happened, as a scrape shows them. */
  readonly fresh: readonly string[];
};

type Described = { readonly name: string; readonly type: string; readonly labelNames: readonly string[] };
type Registry = {
  readonly getMetricsAsArray: () => readonly unknown[];
  readonly metrics: () => Promise<string>;
};

export async function exportedMetrics(): Promise<ExportedMetrics> {
  const never = { onProblem: () => {}, measure: () => Promise.reject(new Error('no database here')) };
  const registries: readonly Registry[] = [
    createMetrics({
      denyList: { entries: () => 0, ageMs: () => 0 },
      streams: () => 0,
      settleWaits: () => 0,
      quotas: undefined,
      pool: () => ({ totalCount: 0, idleCount: 0, waitingCount: 0 }),
    }).registry,
    createSettlementMetrics({ networks: ['eip155:8453'], ...never }).registry,
    createAdminMetrics().registry,
    createConsoleMetrics().registry,
    createDeliveryMetrics({ modes: ['test', 'live'], underWay: () => 0, ...never }).registry,
  ];
  const byName = new Map<string, ExportedMetric>(builtIn());
  const fresh: string[] = [];
  for (const registry of registries) {
    for (const { name, labelNames, type } of registry.getMetricsAsArray().map(described)) {
      const labels = new Set([...labelNames, 'job', 'instance']);
      byName.set(name, { type, labels });
      if (type !== 'histogram') continue;
      byName.set(`${name}_bucket`, { type, labels: new Set([...labels, 'le']) });
      for (const part of ['sum', 'count']) byName.set(`${name}_${part}`, { type, labels });
    }
    fresh.push(...(await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#')));
  }
  return { byName, fresh };
}

function described(metric: unknown): Described {
  const { name, labelNames, constructor } = metric as Described & { readonly constructor: { readonly name: string } };
  return { name, labelNames, type: constructor.name.toLowerCase() };
}

/** What Prometheus says of its targets, and what the ledger check leaves in its file. */
function* builtIn(): Generator<[string, ExportedMetric]> {
  const everywhere = ['job', 'instance'];
  yield ['up', { type: 'gauge', labels: new Set(everywhere) }];
  const line = { check: 'gas', network: 'eip155:1', looked: 1, differing: 0, differences: [], notes: [] } as const;
  for (const sample of ledgerMetrics([line], 0).split('\n')) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? \d+$/.exec(sample) ?? [];
    if (name === undefined) continue;
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
    yield [name, { type: 'gauge', labels: new Set([...names, ...everywhere]) }];
  }
}

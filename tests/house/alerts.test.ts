import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { exportedMetrics } from './exported-metrics.ts';
import { wrongIn } from './monitoring.ts';

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
};
type Panel = { readonly title: string; readonly targets?: readonly { readonly expr: string }[] };

const read = (file: string) => readFileSync(file, 'utf8');
const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('deploy/grafana/svc-pay.json')) as { panels: readonly Panel[] };
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '5m') })),
);
const page = read('docs/operate/alerts.md');
const metrics = await exportedMetrics();

/** Words that the database allows in a column; the last definition counts. */
function domain(name: string): ReadonlySet<string> {
  const folder = 'packages/postgres/migrations';
  const sql = readdirSync(folder)
    .toSorted()
    .map((file) => read(`${folder}/${file}`));
  const form = new RegExp(`domain svc\\.${name} [^;]*?value in \\(([^)]*)\\)`, 'g');
  const [, list = ''] = [...sql.join('\n').matchAll(form)].at(-1) ?? [];
  return new Set([...list.matchAll(/'([^']+)'/g)].map(([, word = '']) => word));
}
const values = new Map([
  ['mode', domain('mode')],
  ['upto_full_caps.of', new Set(['account', 'all'])],
  ['outcome', domain('delivery_outcome')],
  ['condition', domain('relayer_condition')],
  ['duty', domain('relayer_duty')],
  ['stranded_transfers_open.status', new Set([...domain('stranded_status'), 'hold'])],
  ['stage', new Set(['queued', 'queued_solo', 'queued_refund', 'pending', 'held'])],
  ['health', new Set(['well', 'failing'])],
  ['level', new Set(['info', 'warn', 'error'])],
]);
const wrong = (expression: string) => wrongIn(expression, metrics, values);

test.each(rules)('rule $alert names metrics, labels and values that exist', ({ expr }) => {
  expect(wrong(expr)).toEqual([]);
});

test.each(queries)('panel "$title" names metrics, labels and values that exist', ({ expr }) => {
  expect(wrong(expr)).toEqual([]);
});

test.each(rules)('rule $alert says how urgent it is, and leads to its heading', ({ alert, labels, annotations }) => {
  expect(['page', 'ticket']).toContain(labels.severity);
  expect(annotations.runbook).toBe(`docs/operate/alerts.md#${alert.toLowerCase()}`);
  expect(page).toContain(`\n### ${alert}\n`);
});

test('the headings are the rules, one each and in their order', () => {
  const names = rules.map(({ alert }) => alert);
  const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);
  expect(headings).toEqual(names);
});

test('every label in the text of a rule survives its expression', () => {
  for (const { expr, annotations } of rules) {
    const used = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
    const kept = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
    expect(used.filter((label) => expr.includes(' by (') && !kept.includes(label))).toEqual([]);
  }
});

test('services of the rules are jobs of the example configuration, at the ports that the reference gives', () => {
  const example = read('deploy/prometheus/prometheus.yaml');
  const { scrape_configs: jobs } = parse(example) as { scrape_configs: readonly { job_name: string }[] };
  expect(jobs.map(({ job_name }) => job_name).every((name) => name.startsWith('svc-'))).toBe(true);
  const reference = read('docs/reference/config.md');
  for (const [, port, setting] of example.matchAll(/:(\d+)'\] # (SVC_\w+)/g)) {
    expect(reference).toMatch(new RegExp(`\`${setting}\`.*\\| \`${port}\` \\|`));
  }
});

describe('a planted mistake is found', () => {
  test.each([
    ['a metric that nobody exports', 'deliverys_due > 0', 'no service exports deliverys_due'],
    ['a label that it has not', 'network_offered{chain="x"} == 0', 'network_offered has no label chain'],
    ['a value that never occurs', 'lanes{condition="emtpy"} > 0', 'lanes never has condition="emtpy"'],
    ['a grouping by nothing', 'sum by (relayer) (lanes)', 'no metric here has the label relayer'],
    ['a counter as it stands', 'delivery_reports_void_total > 0', 'delivery_reports_void_total only grows'],
    ['the rate of a gauge', 'rate(deliveries_due[5m]) > 0', 'deliveries_due is a gauge'],
    ['a series without a beginning', 'increase(requests_limited_total[1h]) > 0', 'has no such series from the start'],
  ])('%s', (_, expression, sentence) => {
    expect(wrong(expression)).toEqual([expect.stringContaining(sentence)]);
  });
  test('and what is not understood is no silent success', () => {
    expect(() => wrong('lanes > 0 ;')).toThrow('not understood');
    expect(() => wrong('summ(lanes) > 0')).toThrow('summ');
  });
});

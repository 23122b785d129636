// What is wrong with an expression of a rule or a panel, as sentences.
import type { ExportedMetrics } from './exported-metrics.ts';
import { type Matcher, readExpression, type Selector } from './promql.ts';

/** Values of labels, where a list of them exists; the rest is free text such as a network. */
export type LabelValues = ReadonlyMap<string, ReadonlySet<string>>;

export function wrongIn(expression: string, metrics: ExportedMetrics, values: LabelValues): readonly string[] {
  const { selectors, grouping } = readExpression(expression);
  const known = new Set(selectors.flatMap(({ metric }) => [...(metrics.byName.get(metric)?.labels ?? [])]));
  return [
    ...selectors.flatMap((selector) => wrongWith(selector, metrics, values)),
    ...grouping.filter((label) => !known.has(label)).map((label) => `no metric here has the label ${label}`),
  ];
}

function wrongWith(selector: Selector, { byName, fresh }: ExportedMetrics, values: LabelValues): readonly string[] {
  const { metric, matchers, inside } = selector;
  const exported = byName.get(metric);
  if (exported === undefined) return [`no service exports ${metric}`];
  const counts = exported.type === 'counter' || exported.type === 'histogram';
  return [
    ...matchers
      .filter(({ label }) => !exported.labels.has(label))
      .map(({ label }) => `${metric} has no label ${label}`),
    ...matchers.flatMap((matcher) => wrongValues(metric, matcher, values)),
    ...(counts && !/^(?:rate|increase)$/.test(inside) ? [`${metric} only grows: it needs rate() or increase()`] : []),
    ...(!counts && /^(?:rate|increase)$/.test(inside) ? [`${metric} is a gauge: no rate() and no increase()`] : []),
    ...(inside === 'increase' && !fresh.some((sample) => matches(sample, selector))
      ? [`${metric} has no such series from the start, so its first increase is not seen`]
      : []),
  ];
}

function wrongValues(metric: string, { label, operator, value }: Matcher, values: LabelValues): readonly string[] {
  const list = values.get(`${metric}.${label}`) ?? values.get(label);
  if (list === undefined || operator.endsWith('~')) return [];
  return list.has(value) ? [] : [`${metric} never has ${label}="${value}"`];
}

function matches(sample: string, { metric, matchers }: Selector): boolean {
  const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(sample) ?? [];
  if (name !== metric) return false;
  const of = new Map([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]));
  return matchers.every(({ label, operator, value }) => {
    if (operator === '=') return of.get(label) === value;
    if (operator === '!=') return of.get(label) !== value;
    return new RegExp(`^(?:${value})$`).test(of.get(label) ?? '') === (operator === '=~');
  });
}

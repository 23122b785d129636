import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { unpackDebian } from '../../tools/debian/debian-package.ts';
import { PROMETHEUS } from '../../tools/debian/packages.ts';
import { alertOf, promtoolIn, readAlertCases, readAlertRules, runAlertCases } from './alert-cases.ts';
import { exportedMetrics } from './exported-metrics.ts';
import { readExpression } from './promql.ts';

const rules = readAlertRules();
const cases = readAlertCases();
const { byName } = await exportedMetrics();
const prometheus = unpackDebian(PROMETHEUS);

test.each(rules)(
  'alert $alert has a case in which it fires, and one in which it just does not',
  ({ alert, ...rule }) => {
    const moments = cases.flatMap((each) => each.alert_rule_test).filter(({ alertname }) => alertname === alert);
    const fires = moments.filter(({ exp_alerts = [] }) => exp_alerts.length > 0);
    expect(fires.length).toBeGreaterThan(0);
    expect(moments.length - fires.length).toBeGreaterThanOrEqual(rule.for === undefined ? 1 : 2);
  },
);

test('a case is of one alert that exists, and its moments too', () => {
  const names = new Set(rules.map(({ alert }) => alert));
  for (const each of cases) {
    expect(names).toContain(alertOf(each));
    expect(new Set(each.alert_rule_test.map(({ alertname }) => alertname))).toEqual(new Set([alertOf(each)]));
  }
});

test('the series of a case are as a service exports them: every label of the metric, and no other', () => {
  for (const { series } of cases.flatMap(({ input_series }) => input_series)) {
    const [selector] = readExpression(series).selectors;
    const labels = byName.get(selector?.metric ?? '')?.labels ?? new Set(['no service exports it']);
    expect(new Set(selector?.matchers.map(({ label }) => label)), series).toEqual(labels);
  }
});

const named = prometheus.ok ? 'with promtool' : `skipped, no promtool: ${prometheus.why}`;
describe.skipIf(!prometheus.ok)(named, () => {
  let printed: ReadonlyMap<string, string> | undefined;

  test.each(rules)('$alert fires when it should, with its labels and text, and not before', ({ alert }) => {
    printed ??= runAlertCases(
      promtoolIn(prometheus),
      rules.map((rule) => ({ name: rule.alert, rule })),
    );
    expect(printed.get(alert)).toBe('');
  });

  test('promtool finds nothing wrong with the rules and the example configuration', () => {
    const { stderr } = spawnSync(promtoolIn(prometheus), ['check', 'config', 'deploy/prometheus/prometheus.yaml']);
    expect(stderr.toString()).toBe('');
  });
});

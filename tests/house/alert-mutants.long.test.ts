// Long form: every rule of the alerts, made a little wrong, is found by the cases of deploy/prometheus/tests.
import { describe, expect, test } from 'vitest';
import { unpackDebian } from '../../tools/debian/debian-package.ts';
import { PROMETHEUS } from '../../tools/debian/packages.ts';
import { promtoolIn, readAlertRules, runAlertCases } from './alert-cases.ts';
import { mutantsOf } from './alert-mutants.ts';

const prometheus = unpackDebian(PROMETHEUS);
const mutants = readAlertRules().flatMap((rule) =>
  mutantsOf(rule).map(({ name, rule: mutant }) => ({ name: `${rule.alert} ${name}`, rule: mutant })),
);

const named = prometheus.ok ? 'with promtool' : `skipped, no promtool: ${prometheus.why}`;
describe.skipIf(!prometheus.ok)(named, () => {
  let printed: ReadonlyMap<string, string> | undefined;

  test.each(mutants)('the cases find $name', ({ name }) => {
    printed ??= runAlertCases(promtoolIn(prometheus), mutants);
    expect(printed.get(name)).toContain('alertname:');
  });
});

// The cases of deploy/prometheus/tests, run by promtool. Each alert is a file of its own with its rule alone: promtool
// evaluates every rule of a file at every step, and all rules together take forty times as long.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import type { Unpacked } from '../../tools/debian/debian-package.ts';
import type { AlertRule } from './alert-mutants.ts';

type ExpectedAlert = { readonly exp_labels: object; readonly exp_annotations: object };
export type AlertCase = {
  /** How often the rules are evaluated: what its file says. */
  readonly every: string;
  readonly name: string;
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly alert_rule_test: readonly {
    readonly eval_time: string;
    readonly alertname: string;
    readonly exp_alerts?: readonly ExpectedAlert[];
  }[];
};
type CaseFile = { readonly evaluation_interval: string; readonly tests: readonly Omit<AlertCase, 'every'>[] };

const FOLDER = 'deploy/prometheus/tests';

export function readAlertRules(): readonly AlertRule[] {
  type Rules = { readonly groups: readonly { readonly rules: readonly AlertRule[] }[] };
  const { groups } = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as Rules;
  return groups.flatMap(({ rules }) => rules);
}

export const promtoolIn = (prometheus: Unpacked): string =>
  path.join(prometheus.ok ? prometheus.folder : '', 'usr/bin/promtool');

export const alertOf = ({ name }: AlertCase): string => name.split(':')[0] ?? '';

export function readAlertCases(): readonly AlertCase[] {
  return readdirSync(FOLDER).flatMap((file) => {
    const { evaluation_interval: every, tests } = parse(readFileSync(path.join(FOLDER, file), 'utf8')) as CaseFile;
    return tests.map((each) => ({ every, ...each }));
  });
}

export type RuleUnderTest = { readonly name: string; readonly rule: AlertRule };

/** What promtool prints of each rule, by name; nothing where all its cases hold. */
export function runAlertCases(promtool: string, rules: readonly RuleUnderTest[]): ReadonlyMap<string, string> {
  const cases = readAlertCases();
  mkdirSync('.cache', { recursive: true });
  const folder = mkdtempSync(path.resolve('.cache/alert-cases-'));
  try {
    const printed = new Map<string, string>();
    for (let from = 0; from < rules.length; from += RULES_PER_RUN) {
      const files = rules.slice(from, from + RULES_PER_RUN).map(({ name, rule }, index) => ({
        name,
        files: writeCases(path.join(folder, `${from + index}`), rule, cases),
      }));
      const told = print(
        promtool,
        files.flatMap((each) => each.files),
        path.join(folder, 'printed'),
      );
      for (const each of files) printed.set(each.name, each.files.map((file) => failuresOf(file, told)).join(''));
    }
    return printed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Less than a second's work, so that the limit of one run does not depend on how many rules there are. */
const RULES_PER_RUN = 25;
const RUN_LIMIT_MS = 60_000;

/** A file with the rule, and one with its cases for each interval. */
function writeCases(stem: string, rule: AlertRule, cases: readonly AlertCase[]): readonly string[] {
  const rulesFile = `${stem}-rules.yaml`;
  writeFileSync(rulesFile, stringify({ groups: [{ name: 'one', rules: [rule] }] }));
  const own = cases.filter((each) => alertOf(each) === rule.alert);
  return [...new Set(own.map(({ every }) => every))].map((interval) => {
    const tests = own.flatMap(({ every, ...each }) => (every === interval ? [each] : []));
    const file = `${stem}-every-${interval}.yaml`;
    writeFileSync(file, stringify({ rule_files: [rulesFile], evaluation_interval: interval, tests }));
    return file;
  });
}

/** promtool names files on standard output and failures on standard error: both go to one file, in their order. */
function print(promtool: string, files: readonly string[], to: string): string {
  const descriptor = openSync(to, 'w');
  try {
    const stdio = ['ignore', descriptor, descriptor] as const;
    const { error } = spawnSync(promtool, ['test', 'rules', ...files], { stdio: [...stdio], timeout: RUN_LIMIT_MS });
    if (error !== undefined) throw error;
  } finally {
    closeSync(descriptor);
  }
  return readFileSync(to, 'utf8');
}

function failuresOf(file: string, printed: string): string {
  const [, after] = printed.split(`Unit Testing:  ${file}\n`);
  if (after === undefined) return `promtool did not run ${file}: ${printed}`;
  const [own = ''] = after.split('Unit Testing:');
  return own.trim() === 'SUCCESS' ? '' : own.trim();
}

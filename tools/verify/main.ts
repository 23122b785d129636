// npm run verify                     everything a contributor and CI check
// npm run verify -- --only unit      one suite (several: --only static,unit)
// npm run verify -- --changed [base] what a change can break: uncommitted, or since a commit
// npm run verify -- --long           the long forms alone (one of them: --long --only program)
// npm run verify -- --install        install first, and fail if that changed the lock (what CI does)
// In CI a suite past six times its planned seconds, and a run past 80 minutes, is stopped and red; elsewhere that is said
// and no more.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { inContinuousIntegration } from '../config.ts';
import { changedFiles, leftOutLines, planChanged } from './changed.ts';
import { type CheckResult, runCheck } from './run-check.ts';
import { skippedLines } from './skipped-lines.ts';
import { INSTALL, LONG_SUITES, OVERRUN_FACTOR, RUN_LIMIT_SECONDS, SUITES, type Suite } from './suites.ts';
import { bar, type Row, table } from './table.ts';

const onTerminal = process.stdout.isTTY;
const binding = inContinuousIntegration();

async function runSuite(suite: Suite): Promise<Row> {
  const startMs = performance.now();
  const elapsedSeconds = () => (performance.now() - startMs) / 1_000;
  const limitSeconds = Math.min(suite.budgetSeconds * OVERRUN_FACTOR, RUN_LIMIT_SECONDS - process.uptime());
  const limitMs = binding ? limitSeconds * 1_000 : undefined;
  const results: CheckResult[] = [];
  if (!onTerminal) console.log(`${suite.name}: started, planned ${suite.budgetSeconds} s`);
  for (const check of suite.checks) {
    const progress = onTerminal ? setInterval(() => showProgress(suite, check.name, elapsedSeconds()), 200) : undefined;
    const result = await runCheck(suite.name, check, limitMs && limitMs - (performance.now() - startMs));
    clearInterval(progress);
    clearLine();
    results.push(result);
    console.log(`  ${suite.name} · ${check.name}: ${markOf(result)}, ${elapsedSeconds().toFixed(1)} s`);
    for (const line of skippedLines(readFileSync(result.logFile, 'utf8'))) console.log(`    │ ${line}`);
    if (result.reason !== '' || result.flaky.length > 0) console.log(tailOf(result.logFile));
    // What follows an install or a format that failed would only repeat its complaint.
    if (result.reason !== '' && suite === INSTALL) break;
  }
  if (!binding && elapsedSeconds() > suite.budgetSeconds * OVERRUN_FACTOR) {
    console.log(`  ${suite.name}: past ${OVERRUN_FACTOR} times its ${suite.budgetSeconds} s, which CI would not allow`);
  }
  return {
    suite: suite.name,
    plannedSeconds: suite.budgetSeconds,
    actualSeconds: elapsedSeconds(),
    passed: results.reduce((total, result) => total + result.passed, 0),
    failed: results.reduce((total, result) => total + result.failed, 0),
    flaky: results.flatMap((result) => result.flaky),
  };
}

function markOf({ reason, flaky }: CheckResult): string {
  if (reason !== '') return `RED (${reason})`;
  return flaky.length === 0 ? 'ok' : `FLAKY (red at first, green alone: ${flaky.join(', ')})`;
}

function showProgress(suite: Suite, check: string, seconds: number): void {
  clearLine();
  process.stdout.write(
    `${suite.name} ${bar(seconds, suite.budgetSeconds)} ${seconds.toFixed(0)}/${suite.budgetSeconds} s · ${check}`,
  );
}

function clearLine(): void {
  if (onTerminal) process.stdout.write('\r\u001B[2K');
}

function tailOf(logFile: string, lines = 120): string {
  const text = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  const shown = text
    .slice(-lines)
    .map((line) => `    │ ${line}`)
    .join('\n');
  return `${shown}\n    └ whole log: ${path.relative('.', logFile)}`;
}

function wrongUse(message: string): never {
  console.error(message);
  process.exit(64);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    install: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
  },
});
if (values.changed && (values.long || values.only !== undefined))
  wrongUse('--changed goes with neither --long nor --only');
if (positionals.length > (values.changed ? 1 : 0)) wrongUse(`not understood: ${positionals.join(' ')}`);

const git = (...argv: string[]) => execFileSync('git', argv, { encoding: 'utf8' }).trim();
const [base = 'HEAD'] = positionals;
const changes = values.changed ? planChanged(changedFiles(base), base) : undefined;
const offered = changes?.suites ?? (values.long ? LONG_SUITES : SUITES);
const wanted = values.only?.split(',');
const unknown = wanted?.filter((name) => !offered.some((suite) => suite.name === name)) ?? [];
if (unknown.length > 0) {
  wrongUse(`no suite is called ${unknown.join(', ')}; there are: ${offered.map((suite) => suite.name).join(', ')}`);
}
const chosen = offered.filter((suite) => wanted === undefined || wanted.includes(suite.name));

const rows: Row[] = [];
for (const suite of values.install ? [INSTALL, ...chosen] : chosen) {
  const row = await runSuite(suite);
  rows.push(row);
  if (suite === INSTALL && row.failed > 0) break;
}
console.log(`\n${table(rows)}\n`);
if (changes !== undefined) console.log(leftOutLines(changes).join('\n'));
const isChanged = git('status', '--porcelain') !== '';
console.log(`commit ${git('rev-parse', 'HEAD')}${isChanged ? ', with changes that are not committed' : ''}`);
const flaky = rows.flatMap((row) => row.flaky);
if (flaky.length > 0) console.log(`flaky, each a bug to mend before the next change: ${flaky.join(', ')}`);
const passed = rows.reduce((total, row) => total + row.passed, 0);
const failed = rows.reduce((total, row) => total + row.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

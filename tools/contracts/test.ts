// npm run contracts:test                 unit tests, 1,000 fuzz runs each, more than 10,000 invariant calls
// npm run contracts:test -- --deep       100,000 fuzz runs and a longer random walk
// npm run contracts:test -- --counts f   also writes { passed, failed } to a file, for `npm run verify`
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { forgeTest } from './forge.ts';
import { readReport } from './test-report.ts';

const MIN_INVARIANT_CALLS = 10_000;
const MIN_FUZZ_RUNS = { tests: 1_000, deep: 100_000 } as const;

const { values } = parseArgs({ options: { deep: { type: 'boolean', default: false }, counts: { type: 'string' } } });
const profile = values.deep ? 'deep' : 'tests';
const run = forgeTest(['--json'], profile);
const report = readReport(run.output);
const failures = [...report.failures];
if (report.passed + failures.length === 0) {
  console.error(run.output.slice(-8_000));
  failures.push('forge ran no test');
}
if (report.invariantCalls < MIN_INVARIANT_CALLS) {
  failures.push(`the invariants saw ${report.invariantCalls} calls, at least ${MIN_INVARIANT_CALLS} are wanted`);
}
if (report.fewestFuzzRuns < MIN_FUZZ_RUNS[profile]) {
  failures.push(`a fuzz test ran ${report.fewestFuzzRuns} times, at least ${MIN_FUZZ_RUNS[profile]} are wanted`);
}
for (const failure of failures) console.error(`RED ${failure}`);
if (values.counts !== undefined) {
  writeFileSync(values.counts, JSON.stringify({ passed: report.passed, failed: failures.length }));
}
console.log(
  `${report.passed} passed, ${failures.length} failed, ${report.invariantCalls} invariant calls, ${report.fewestFuzzRuns} fuzz runs`,
);
process.exitCode = failures.length === 0 && run.exitCode === 0 ? 0 : 1;

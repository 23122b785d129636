// npm run contracts:coverage: lines and branches of contracts/evm/src that the tests reach. By command, not in verify.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, WORK_DIRECTORY } from './config.ts';
import { readLcov } from './coverage-report.ts';
import { forge } from './forge.ts';

const MIN_LINES_PERCENT = 98;
const MIN_BRANCHES_PERCENT = 95;

const lcovFile = path.join(WORK_DIRECTORY, 'lcov.info');
const run = forge([
  'coverage',
  '--report=lcov',
  `--report-file=${path.relative(ROOT, lcovFile)}`,
  '--fuzz-runs=100',
  // Coverage builds without the optimizer: gas figures mean nothing there, and a random walk adds nothing.
  '--no-match-path=contracts/evm/test/{Gas,UsdcGas,Invariants,DirectInvariants}.t.sol',
]);
if (run.exitCode !== 0) {
  console.error(run.output.slice(-4_000));
  process.exit(1);
}
const coverage = readLcov(readFileSync(lcovFile, 'utf8'), 'contracts/evm/src/');
for (const place of coverage.missed) console.log(`missed ${place}`);
const percent = (hit: number, found: number) => (100 * hit) / found;
const lines = percent(coverage.linesHit, coverage.linesFound);
const branches = percent(coverage.branchesHit, coverage.branchesFound);
console.log(
  `lines    ${lines.toFixed(2)} % (${coverage.linesHit}/${coverage.linesFound}), at least ${MIN_LINES_PERCENT}`,
);
console.log(
  `branches ${branches.toFixed(2)} % (${coverage.branchesHit}/${coverage.branchesFound}), at least ${MIN_BRANCHES_PERCENT}`,
);
process.exitCode = lines >= MIN_LINES_PERCENT && branches >= MIN_BRANCHES_PERCENT ? 0 : 1;

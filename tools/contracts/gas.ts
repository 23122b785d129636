// npm run contracts:gas               measures, prints, fails when a figure grew by more than 2 % or the size limit is hit
// npm run contracts:gas -- --json     the last line is one JSON object with the measured figures
// npm run contracts:gas -- --write    commits the measured figures as the new snapshot
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { GAS_SNAPSHOT, MAX_CODE_BYTES, WORK_DIRECTORY } from './config.ts';
import { forgeTest } from './forge.ts';
import { GAS_FIGURES, type GasFigures, regressions } from './gas-compare.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const measuredFile = path.join(WORK_DIRECTORY, 'gas.json');
rmSync(measuredFile, { force: true });
// Isolated: every call of the test is a transaction of its own, with its own cold storage and intrinsic cost.
const run = forgeTest(['--isolate', '--match-path', 'contracts/evm/test/Gas.t.sol']);
if (run.exitCode !== 0) {
  console.error(run.output.slice(-4_000));
  process.exit(1);
}
const measured = JSON.parse(readFileSync(measuredFile, 'utf8')) as GasFigures;
if (values.write) writeFileSync(GAS_SNAPSHOT, `${JSON.stringify(measured, undefined, 2)}\n`);
const committed = JSON.parse(readFileSync(GAS_SNAPSHOT, 'utf8')) as GasFigures;

for (const name of [...GAS_FIGURES, 'size_bytes'] as const) {
  console.log(
    `${name.padEnd(20)} ${String(measured[name]).padStart(8)}   committed ${String(committed[name]).padStart(8)}`,
  );
}
const problems = regressions(committed, measured, MAX_CODE_BYTES);
for (const problem of problems) console.error(`RED ${problem}`);
if (values.json) {
  console.log(
    JSON.stringify(
      Object.fromEntries([...GAS_FIGURES, 'size_bytes'].map((name) => [name, measured[name as keyof GasFigures]])),
    ),
  );
}
process.exitCode = problems.length === 0 ? 0 : 1;

// npm run contracts:gas               measures, prints, fails when a figure grew by more than 2 % or the size limit is hit
// npm run contracts:gas -- --json     the last line is one JSON object with the measured figures
// npm run contracts:gas -- --usdc     also over Circle's FiatTokenV2_2 behind its proxy, which it gets from npm
// npm run contracts:gas -- --write    commits the measured figures as the new snapshot
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { GAS_SNAPSHOT, MAX_CODE_BYTES, WORK_DIRECTORY } from './config.ts';
import { forgeTest } from './forge.ts';
import { GAS_FIGURES, type GasFigures, regressions } from './gas-compare.ts';
import { buildUsdc } from './usdc.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    usdc: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const measured = measure('Gas', 'gas.json');
if (values.write) writeFileSync(GAS_SNAPSHOT, `${JSON.stringify(measured, undefined, 2)}\n`);
const committed = JSON.parse(readFileSync(GAS_SNAPSHOT, 'utf8')) as GasFigures;
if (values.usdc) buildUsdc();
const onUsdc = values.usdc ? measure('UsdcGas', 'gas-usdc.json') : undefined;

for (const name of [...GAS_FIGURES, 'size_bytes'] as const) {
  const figures = `${String(measured[name]).padStart(8)}   committed ${String(committed[name]).padStart(8)}`;
  const beside = onUsdc === undefined ? '' : `   on USDC ${String(onUsdc[name]).padStart(8)}`;
  console.log(`${name.padEnd(20)} ${figures}${beside}`);
}
const problems = regressions(committed, measured, MAX_CODE_BYTES);
for (const problem of problems) console.error(`RED ${problem}`);
if (values.json) {
  const names = [...GAS_FIGURES, 'size_bytes'] as const;
  const usdc = onUsdc && GAS_FIGURES.map((name) => [`usdc_${name}`, onUsdc[name]] as const);
  console.log(
    JSON.stringify(Object.fromEntries([...names.map((name) => [name, measured[name]] as const), ...(usdc ?? [])])),
  );
}
process.exitCode = problems.length === 0 ? 0 : 1;

/** Isolated: every call of the test is a transaction of its own, with its own cold storage and intrinsic cost. */
function measure(test: string, file: string): GasFigures {
  const measuredFile = path.join(WORK_DIRECTORY, file);
  rmSync(measuredFile, { force: true });
  const run = forgeTest(['--isolate', '--match-path', `contracts/evm/test/${test}.t.sol`]);
  if (run.exitCode !== 0) {
    console.error(run.output.slice(-4_000));
    process.exit(1);
  }
  return JSON.parse(readFileSync(measuredFile, 'utf8')) as GasFigures;
}

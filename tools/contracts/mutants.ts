// npm run contracts:mutants: puts one small wrong at a time into a copy of the contracts and runs the tests over it. A
// wrong that no test notices is a hole in the tests. By command only: it takes some minutes.
// The last line is {"caught": n, "total": n}. Names or parts of names as arguments choose mutations.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, WORK_DIRECTORY } from './config.ts';
import { forge } from './forge.ts';
import { MUTATIONS } from './mutations.ts';

const copy = path.join(WORK_DIRECTORY, 'mutants');
const TEST = [
  'test',
  '--fail-fast',
  '--fuzz-runs=100',
  '--no-match-path=contracts/evm/test/{Gas,UsdcGas,Invariants,DirectInvariants,Deployment}.t.sol',
];

function prepareCopy(): void {
  for (const part of ['contracts', 'foundry.toml', 'tools', 'node_modules']) {
    rmSync(path.join(copy, part), { recursive: true, force: true });
  }
  mkdirSync(copy, { recursive: true });
  cpSync(path.join(ROOT, 'contracts'), path.join(copy, 'contracts'), { recursive: true });
  cpSync(path.join(ROOT, 'foundry.toml'), path.join(copy, 'foundry.toml'));
  for (const linked of ['tools', 'node_modules']) symlinkSync(path.join(ROOT, linked), path.join(copy, linked));
  const built = path.join(ROOT, '.cache/forge');
  if (existsSync(built)) cpSync(built, path.join(copy, '.cache/forge'), { recursive: true });
}

/** `caught` when a test fails; a mutation that does not compile proves nothing and is an error of the list. */
function outcome(): 'caught' | 'survived' | 'does not compile' {
  const run = forge(TEST, { cwd: copy, profile: 'tests' });
  if (run.exitCode === 0) return 'survived';
  return /\[FAIL/.test(run.output) ? 'caught' : 'does not compile';
}

const wanted = process.argv.slice(2);
const chosen = MUTATIONS.filter(([name]) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
prepareCopy();
if (outcome() !== 'survived') {
  console.error('the tests are red without any mutation');
  process.exit(1);
}
let caught = 0;
for (const [index, [name, file, find, replace]] of chosen.entries()) {
  const target = path.join(copy, 'contracts/evm/src', file);
  const original = readFileSync(target, 'utf8');
  const found = original.split(find).length - 1;
  let result: string = `found ${found} times`;
  if (found === 1) {
    writeFileSync(
      target,
      original.replace(find, () => replace),
    );
    result = outcome();
    writeFileSync(target, original);
  }
  if (result === 'caught') caught += 1;
  console.log(`${String(index + 1).padStart(3)} ${result.padEnd(9)} ${file}: ${name}`);
}
console.log(JSON.stringify({ caught, total: chosen.length }));
process.exitCode = caught === chosen.length ? 0 : 1;

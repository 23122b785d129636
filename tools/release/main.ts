// npm run release              checks what only a release must check, and publishes nothing
// npm run release -- --dry     makes what a release consists of in .cache/release and publishes nothing
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackages } from '../pack/build-packages.ts';
import { checkProgram } from './check-program.ts';
import { dryRun } from './dry-run.ts';

const { values } = parseArgs({ options: { dry: { type: 'boolean', default: false } } });
const program = checkProgram(process.cwd(), values.dry ? 'if the compiler is here' : 'fetch the compiler');
if (!program.ok) {
  console.error(`release: RED\n  ${program.problem}`);
  process.exit(1);
}
if (!values.dry) {
  console.log(program.note);
  console.error('Publishing needs registry credentials and a person who decides, so this command does not publish.');
  console.error('What a release would consist of: npm run release -- --dry');
  process.exit(64);
}

const outDirectory = path.resolve('.cache/release');
const staged = await buildPackages(process.cwd(), path.resolve('.cache/pack'));
const run = dryRun(process.cwd(), outDirectory, staged);
if (!run.ok) {
  console.error(['release: RED', ...run.problems.map((problem) => `  ${problem}`)].join('\n'));
  process.exit(1);
}
const width = Math.max(...run.artifacts.map(({ file }) => file.length));
for (const { file, about, bytes, sha256 } of run.artifacts) {
  console.log(`${file.padEnd(width)}  ${kilobytes(bytes).padStart(10)}  ${sha256.slice(0, 12)}  ${about}`);
}
for (const note of [...run.notes, program.note]) console.log(`note: ${note}`);
console.log(
  `release: ${run.artifacts.length} files and SHA256SUMS in ${path.relative('.', outDirectory)}, nothing published`,
);

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

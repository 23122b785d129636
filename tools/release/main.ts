// npm run release -- --key <file>   makes and signs the files of a release in .cache/release; publishes nothing
// npm run release -- --dry          the same with a key that nobody keeps, and without what only a release must fulfil
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackages } from '../pack/build-packages.ts';
import { checkProgram } from './check-program.ts';
import { type BuiltImage, buildImage } from './image/build-image.ts';
import { makeFiles, readOrder } from './make-files.ts';
import { releaseProblems } from './release-ready.ts';
import { openSigningKey, signFiles, throwAwayKey } from './sign-files.ts';

const root = process.cwd();
const { values } = parseArgs({ options: { dry: { type: 'boolean', default: false }, key: { type: 'string' } } });
const notes: string[] = [];

const key = values.dry ? throwAwayKey() : signingKey(values.key);
if (!values.dry) stopIf(releaseProblems(root));
const program = checkProgram(root, values.dry ? 'if the compiler is here' : 'fetch the compiler');
if (!program.ok) stopIf([program.problem]);
const image = await makeImage();
const outDirectory = path.resolve('.cache/release');
const staged = await buildPackages(root, path.resolve('.cache/pack'));
const made = makeFiles(root, outDirectory, { staged, image });
if (!made.ok) stop(made.problems);
const signed = signFiles(outDirectory, made.provenance, key);

const width = Math.max(...made.artifacts.map(({ file }) => file.length));
for (const { file, about, bytes, sha256 } of made.artifacts)
  console.log(`${file.padEnd(width)}  ${kilobytes(bytes).padStart(10)}  ${sha256.slice(0, 12)}  ${about}`);
if (image !== undefined) printImage(image);
if (program.ok) notes.push(program.note);
for (const note of [...made.notes, ...notes]) console.log(`note: ${note}`);
if (values.dry) console.log('note: signed by a key that this run made and forgot');
const folder = path.relative('.', outDirectory);
console.log(
  `release: ${made.artifacts.length} files, SHA256SUMS, ${signed.join(', ')} in ${folder}, nothing published`,
);

function signingKey(file: string | undefined): KeyObject {
  if (file === undefined) {
    console.error('A release is signed: npm run release -- --key <file with an ed25519 key in PEM>.');
    console.error('What a release would consist of, without a key: npm run release -- --dry');
    return process.exit(64);
  }
  const opened = openSigningKey(file);
  return opened.ok ? opened.key : stop([opened.problem]);
}

/** A dry run without an input on this machine leaves the image out and says so. */
async function makeImage(): Promise<BuiltImage | undefined> {
  const order = readOrder(root);
  if (!order.ok) return stop([order.problem]);
  const built = await buildImage(root, order);
  if (built.ok) return built.image;
  if (!values.dry || built.cause === 'content') stopIf(built.problems);
  notes.push(...built.problems.map((problem) => `image: skipped, ${problem}`));
  return undefined;
}

function printImage({ digest, archive, layers, listing }: BuiltImage): void {
  console.log(`image ${digest}  ${(archive.length / 1e6).toFixed(1)} MB, of at most 90`);
  for (const { about, bytes, compressedBytes } of layers)
    console.log(`  ${about}: ${(compressedBytes / 1e6).toFixed(1)} MB, unpacked ${(bytes / 1e6).toFixed(1)} MB`);
  console.log(`  programs: ${listing.flatMap(({ path: file }) => /^usr\/bin\/(.+)$/.exec(file)?.[1] ?? []).join(' ')}`);
}

function stopIf(problems: readonly string[]): void {
  if (problems.length > 0) stop(problems);
}

function stop(problems: readonly string[]): never {
  console.error(['release: RED', ...problems.map((problem) => `  ${problem}`)].join('\n'));
  process.exit(1);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

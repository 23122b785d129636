// npm run release -- --key <file>          makes the files of a release in .cache/release and signs them; publishes nothing
// npm run release -- --unsigned            makes them and leaves them unsigned: no key need be on the machine yet
// npm run release -- --sign --key <file>   signs what --unsigned made, after comparing every file with its sum,
//                                          and what it was made of with HEAD and its tag
// npm run release -- --dry                 shows the files in .cache/release-dry, signed by a key that nobody keeps, built
//                                          from what is installed here and without what only a release must fulfil
// Packages of others are loaded by the process that builds, never by the one that holds the key.
import type { KeyObject } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { MadeRelease } from './make-release.ts';
import { releaseInCleanCheckout } from './release-in-clean-checkout.ts';
import { fingerprintOf, openSigningKey, signFiles, throwAwayKey } from './sign-files.ts';
import { signingProblems } from './signing-problems.ts';

const root = process.cwd();
const outDirectory = path.resolve('.cache/release');
const { values } = parseArgs({
  options: {
    dry: { type: 'boolean', default: false },
    key: { type: 'string' },
    sign: { type: 'boolean', default: false },
    unsigned: { type: 'boolean', default: false },
    // The command gives it to itself, where it runs again in the clean checkout.
    'from-clean-checkout-into': { type: 'string' },
  },
});
const into = values['from-clean-checkout-into'];

if (into !== undefined) {
  await build('real', into);
} else if (values.dry) {
  const dryDirectory = path.resolve('.cache/release-dry');
  await build('dry', dryDirectory);
  sign(dryDirectory, throwAwayKey());
  console.log('note: signed by a key that this run made and forgot');
} else {
  if (values.unsigned === (values.key !== undefined)) usage();
  const key = values.key === undefined ? undefined : signingKey(path.resolve(values.key));
  if (!values.sign) {
    // A build that is refused leaves nothing of an earlier one behind that could be signed.
    rmSync(outDirectory, { recursive: true, force: true });
    const ran = releaseInCleanCheckout(root, ['--from-clean-checkout-into', outDirectory]);
    if (!ran.ok) stop(ran.problems);
  }
  if (key !== undefined) {
    const problems = signingProblems(root, outDirectory);
    if (problems.length > 0) stop(problems);
    sign(outDirectory, key);
  }
  if (key === undefined) console.log('not signed yet: npm run release -- --sign --key <file>');
}

function usage(): never {
  console.error('A release is signed: npm run release -- --key <file with an ed25519 key in PEM>.');
  console.error('Build first and sign later: npm run release -- --unsigned, then --sign --key <file>.');
  console.error('What a release would consist of, without a key: npm run release -- --dry');
  return process.exit(64);
}

function signingKey(file: string): KeyObject {
  const opened = openSigningKey(file);
  return opened.ok ? opened.key : stop([opened.problem]);
}

async function build(form: 'dry' | 'real', directory: string): Promise<void> {
  const { makeRelease } = await import('./make-release.ts');
  print(await makeRelease({ root, outDirectory: directory, form }), directory);
}

function sign(directory: string, key: KeyObject): void {
  const signed = signFiles(directory, key);
  if (!signed.ok) return stop(signed.problems);
  console.log(`signed: ${signed.files.join(', ')}; sha256 of the public key: ${fingerprintOf(key)}`);
}

function print(made: MadeRelease, directory: string): void {
  if (!made.ok) return stop(made.problems);
  const { artifacts, image, notes } = made;
  const width = Math.max(...artifacts.map(({ file }) => file.length));
  for (const { file, about, bytes, sha256 } of artifacts)
    console.log(`${file.padEnd(width)}  ${kilobytes(bytes).padStart(10)}  ${sha256.slice(0, 12)}  ${about}`);
  if (image !== undefined) {
    console.log(`image ${image.digest}  ${(image.archive.length / 1e6).toFixed(1)} MB, of at most 90`);
    for (const { about, bytes, compressedBytes } of image.layers)
      console.log(`  ${about}: ${(compressedBytes / 1e6).toFixed(1)} MB, unpacked ${(bytes / 1e6).toFixed(1)} MB`);
    const programs = image.listing.flatMap(({ path: file }) => /^usr\/bin\/(.+)$/.exec(file)?.[1] ?? []);
    console.log(`  programs: ${programs.join(' ')}`);
  }
  for (const note of notes) console.log(`note: ${note}`);
  const folder = into === undefined ? path.relative('.', directory) : directory;
  console.log(`release: ${artifacts.length} files, SHA256SUMS, not signed, in ${folder}, nothing published`);
}

function stop(problems: readonly string[]): never {
  console.error(['release: RED', ...problems.map((problem) => `  ${problem}`)].join('\n'));
  process.exit(1);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

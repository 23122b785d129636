// npm run release -- --key <file>   makes and signs the files of a release in .cache/release; publishes nothing
// npm run release -- --dry          shows the files in .cache/release-dry, signed by a key that nobody keeps, built from
//                                   what is installed here and without what only a release must fulfil
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type MadeRelease, makeRelease } from './make-release.ts';
import { releaseInCleanCheckout } from './release-in-clean-checkout.ts';
import { openSigningKey, throwAwayKey } from './sign-files.ts';

const root = process.cwd();
const { values } = parseArgs({
  options: {
    dry: { type: 'boolean', default: false },
    key: { type: 'string' },
    // The command gives it to itself, where it runs again in the clean checkout.
    'from-clean-checkout-into': { type: 'string' },
  },
});
const into = values['from-clean-checkout-into'];

if (values.dry) {
  const outDirectory = path.resolve('.cache/release-dry');
  print(await makeRelease({ root, outDirectory, key: throwAwayKey(), form: 'dry' }), outDirectory);
  console.log('note: signed by a key that this run made and forgot');
} else {
  const keyFile = path.resolve(values.key ?? usage());
  const key = signingKey(keyFile);
  if (into === undefined) {
    const outDirectory = path.resolve('.cache/release');
    const ran = releaseInCleanCheckout(root, ['--key', keyFile, '--from-clean-checkout-into', outDirectory]);
    if (!ran.ok) stop(ran.problems);
  } else {
    print(await makeRelease({ root, outDirectory: into, key, form: 'real' }), into);
  }
}

function usage(): never {
  console.error('A release is signed: npm run release -- --key <file with an ed25519 key in PEM>.');
  console.error('What a release would consist of, without a key: npm run release -- --dry');
  return process.exit(64);
}

function signingKey(file: string): KeyObject {
  const opened = openSigningKey(file);
  return opened.ok ? opened.key : stop([opened.problem]);
}

function print(made: MadeRelease, outDirectory: string): void {
  if (!made.ok) return stop(made.problems);
  const { artifacts, image, notes, signatures } = made;
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
  const folder = into === undefined ? path.relative('.', outDirectory) : outDirectory;
  const files = `${artifacts.length} files, SHA256SUMS, ${signatures.join(', ')}`;
  console.log(`release: ${files} in ${folder}, nothing published`);
}

function stop(problems: readonly string[]): never {
  console.error(['release: RED', ...problems.map((problem) => `  ${problem}`)].join('\n'));
  process.exit(1);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

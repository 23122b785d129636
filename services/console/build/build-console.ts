// Builds the console's page. What it is made of is hashed, and a build whose sources are the same is left as it is, so that
// tests, the sandbox and a release can ask for it whenever they need it.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CONSOLE = fileURLToPath(new URL('..', import.meta.url));
const REPOSITORY = path.resolve(CONSOLE, '../..');
/** Served by the console's process. */
export const CONSOLE_ASSETS = path.join(CONSOLE, 'assets/generated');
const STAMP = '.stamp';
const BUNDLER = fileURLToPath(new URL('bundle-console.ts', import.meta.url));

/** Everything that the page is made of: its own files, the packages of ours that it imports, and all versions. */
const SOURCES = [
  'package-lock.json',
  'services/console/package.json',
  'services/console/build/*.ts',
  'services/console/web/**/*',
  'packages/{money,protocol}/src/**/*.ts',
  'sdk/browser/src/**/*.ts',
];

export type BuiltConsole = { readonly folder: string; readonly isNew: boolean };

/** Several processes may build at once: each builds beside the folder, and the last one that is done stays. */
export async function buildConsole(folder: string = CONSOLE_ASSETS): Promise<BuiltConsole> {
  const stamp = stampOf();
  if (stampIn(folder) === stamp) return { folder, isNew: false };
  mkdirSync(path.dirname(folder), { recursive: true });
  const staging = mkdtempSync(path.join(path.dirname(folder), 'staging-'));
  try {
    const fresh = path.join(staging, 'generated');
    // In a process of its own: the bundler and React choose their development form where the environment says that this is a test.
    await promisify(execFile)(process.execPath, [BUNDLER, path.join(CONSOLE, 'web'), fresh], {
      env: { NODE_ENV: 'production' },
    });
    writeFileSync(path.join(fresh, STAMP), stamp);
    // Another process may have built the same meanwhile, and may be serving it.
    if (stampIn(folder) === stamp) return { folder, isNew: false };
    takePlace(fresh, folder, staging);
    return { folder, isNew: true };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function stampIn(folder: string): string | undefined {
  const file = path.join(folder, STAMP);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Whoever serves the folder never sees half of it. */
function takePlace(fresh: string, folder: string, staging: string): void {
  for (let turn = 0; ; turn += 1) {
    unless('ENOENT', () => renameSync(folder, path.join(staging, `former-${turn}`)));
    if (unless('ENOTEMPTY', () => renameSync(fresh, folder))) return;
  }
}

/** False if the act fails with this code: another process did it first, or put a folder into the place. */
function unless(code: string, act: () => void): boolean {
  try {
    act();
    return true;
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === code) return false;
    throw problem;
  }
}

function stampOf(): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: REPOSITORY })
    .filter((file) => !file.endsWith('.test.ts') && statSync(path.join(REPOSITORY, file)).isFile())
    .sort();
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(REPOSITORY, file)))
      .update('\0');
  return hash.digest('hex');
}

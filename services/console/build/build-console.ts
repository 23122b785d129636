// Builds the console's page. What it is made of is hashed, and a build whose sources are the same is left as it is, so that
// tests, the sandbox and a release can ask for it whenever they need it.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

export async function buildConsole(): Promise<BuiltConsole> {
  const stamp = stampOf();
  const file = path.join(CONSOLE_ASSETS, STAMP);
  if (existsSync(file) && readFileSync(file, 'utf8') === stamp) return { folder: CONSOLE_ASSETS, isNew: false };
  // A build beside the old one takes its place at once: whoever serves the folder never sees half of it.
  const fresh = `${CONSOLE_ASSETS}.${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(path.dirname(fresh), { recursive: true });
  // In a process of its own: the bundler and React choose their development form where the environment says that this is a test.
  await promisify(execFile)(process.execPath, [BUNDLER, path.join(CONSOLE, 'web'), fresh], {
    env: { NODE_ENV: 'production' },
  });
  writeFileSync(path.join(fresh, STAMP), stamp);
  rmSync(CONSOLE_ASSETS, { recursive: true, force: true });
  renameSync(fresh, CONSOLE_ASSETS);
  return { folder: CONSOLE_ASSETS, isNew: true };
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

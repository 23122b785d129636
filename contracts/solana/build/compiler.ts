// The compiler of the on-chain program. It is large and nobody else needs it: it is fetched as a package into a folder of
// its own, by the lock in `compiler`. The lock pins Linux x64, on which releases are made, by hash.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

const PINNED = path.join(import.meta.dirname, 'compiler');

export const compilerFolder = (root: string) => path.join(root, '.cache/program');

const compilerIn = (folder: string) => path.join(folder, 'node_modules/.bin/zig');

export const isCompilerFetched = (root: string) => existsSync(compilerIn(compilerFolder(root)));

export function fetchCompiler(root: string): string {
  const folder = compilerFolder(root);
  if (isCompilerFetched(root)) return compilerIn(folder);
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(path.join(PINNED, file), path.join(folder, file));
  execFileSync('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-progress'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return compilerIn(folder);
}

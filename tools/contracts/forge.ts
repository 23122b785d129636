// Starts forge itself, not npm's wrapper around it: the wrapper needs an install script.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { forgeEnvironment, ROOT, WORK_DIRECTORY } from './config.ts';

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

function forgeBinary(): string {
  const name = `@foundry-rs/forge-${process.platform}-${architectures[process.arch] ?? process.arch}`;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return createRequire(import.meta.url).resolve(`${name}/bin/forge${suffix}`);
}

export type ForgeRun = { readonly exitCode: number; readonly output: string; readonly problems: string };

export function forge(
  forgeArguments: readonly string[],
  options: { readonly show?: boolean; readonly cwd?: string; readonly profile?: 'default' | 'deep' } = {},
): ForgeRun {
  mkdirSync(WORK_DIRECTORY, { recursive: true });
  const run = spawnSync(forgeBinary(), forgeArguments, {
    cwd: options.cwd ?? ROOT,
    env: forgeEnvironment(options.profile ?? 'default'),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['ignore', options.show === true ? 'inherit' : 'pipe', options.show === true ? 'inherit' : 'pipe'],
  });
  if (run.error !== undefined) throw run.error;
  return { exitCode: run.status ?? 1, output: run.stdout ?? '', problems: run.stderr ?? '' };
}

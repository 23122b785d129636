// Runs services as child processes: a signal to this process stops them in order, and when one ends, all stop.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { killOnParentExit } from './kill-on-parent-exit.ts';

export type RunningServices = {
  /** How the first service that ended did so: its exit code, or 1 when a signal ended it. */
  readonly ended: Promise<{ readonly name: string; readonly exitCode: number }>;
  /** Asks every service to stop and kills those still running after `graceMs`. Settles when none is left. */
  readonly stop: () => Promise<void>;
};

export type StartedService = {
  readonly name: string;
  readonly entry: string;
  /** All that the process is given. */
  readonly env: NodeJS.ProcessEnv;
};

export type RunOptions = {
  readonly stdio: StdioOptions;
  readonly graceMs?: number;
};

const GRACE_MS = 15_000;

export function runServices(services: readonly StartedService[], options: RunOptions): RunningServices {
  const { stdio, graceMs = GRACE_MS } = options;
  const running = services.map(({ name, entry, env }) => ({ name, child: startOne(entry, env, stdio) }));
  const ended = running.map(async ({ name, child }) => {
    const [code] = (await once(child, 'exit')) as [number | null];
    return { name, exitCode: code ?? 1 };
  });
  return {
    ended: Promise.race(ended),
    stop: async () => {
      for (const { child } of running) child.kill('SIGTERM');
      const late = sleep(graceMs, 'late', { ref: false });
      if ((await Promise.race([Promise.all(ended), late])) === 'late') {
        for (const { child } of running) child.kill('SIGKILL');
      }
      await Promise.all(ended);
    },
  };
}

function startOne(entry: string, env: NodeJS.ProcessEnv, stdio: StdioOptions): ChildProcess {
  // The child runs in its own session: Ctrl-C reaches only this process, which then stops the child in order.
  const child = spawn(process.execPath, [entry], { env, stdio, detached: true });
  const dismiss = child.pid === undefined ? () => {} : killOnParentExit(child.pid);
  child.once('exit', dismiss);
  return child;
}

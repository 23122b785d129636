// A child process must not outlive this process, however this process ends. A shell holds the reading end of a pipe
// whose writing end only this process has: when this process is gone, even by SIGKILL, the pipe ends and the shell
// stops the child.
import { spawn } from 'node:child_process';

export type KillOptions = {
  /** The signal that asks the child to stop. */
  readonly ask: 'TERM' | 'INT';
  /** The signal that a child gets which has not stopped in time. */
  readonly force: 'KILL' | 'QUIT';
  readonly patienceSeconds: number;
  /** A folder that is removed after the child. */
  readonly remove?: string | undefined;
};

const SERVICE: KillOptions = { ask: 'TERM', force: 'KILL', patienceSeconds: 15 };

const SCRIPT = `
read -r _
kill -"$2" "$1" 2>/dev/null
tries=0
while kill -0 "$1" 2>/dev/null && [ "$tries" -lt "$4" ]; do
  tries=$((tries + 1))
  sleep 0.1
done
kill -"$3" "$1" 2>/dev/null
[ -z "$5" ] || rm -rf -- "$5"
`;

/**
 * Stops service `pid` when this process ends. Returns how to dismiss the shell: call it once the child has ended,
 * because the system may give the child's pid to another process from then on.
 */
export function killOnParentExit(pid: number): () => void {
  const dismiss = startKiller(pid, SERVICE);
  return () => void dismiss();
}

/** `killOnParentExit` with other signals. The promise of the dismissal settles when the shell is gone. */
export function startKiller(pid: number, options: KillOptions): () => Promise<void> {
  const { ask, force, patienceSeconds, remove = '' } = options;
  // The shell runs in its own session: neither Ctrl-C nor the end of our process group may end it.
  const argv = ['-c', SCRIPT, 'kill-on-parent-exit', String(pid), ask, force, String(patienceSeconds * 10), remove];
  const shell = spawn('/bin/sh', argv, {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
  const gone = new Promise<void>((resolve) => {
    shell.once('exit', () => resolve());
    shell.once('error', () => resolve());
  });
  shell.unref();
  return async () => {
    shell.ref();
    shell.kill('SIGKILL');
    await gone;
  };
}

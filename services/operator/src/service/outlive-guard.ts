// A service must not outlive the command that started it, however that one ends. A shell holds the reading end of a pipe
// whose writing end only our process has: when we are gone, even by SIGKILL, the pipe ends and the shell stops the service.
import { spawn } from 'node:child_process';

const SCRIPT = `
read -r _
kill -TERM "$1" 2>/dev/null
tries=0
while kill -0 "$1" 2>/dev/null && [ "$tries" -lt 150 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
kill -KILL "$1" 2>/dev/null
`;

/** Returns how to dismiss the guard, once the process has ended and its number may belong to another. */
export function guardAgainstOutliving(pid: number): () => void {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'guard', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
  shell.once('error', () => {});
  shell.unref();
  return () => shell.kill('SIGKILL');
}

// A server must not outlive whoever started it, however that one ends. A small shell holds the reading end of a pipe
// whose writing end only our process has: when we are gone, even by SIGKILL, the pipe ends and the shell stops the server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const SCRIPT = `
read -r _
kill -INT "$1" 2>/dev/null
tries=0
while kill -0 "$1" 2>/dev/null && [ "$tries" -lt 100 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
kill -QUIT "$1" 2>/dev/null
[ -z "$2" ] || rm -rf -- "$2"
`;

export type Watchdog = { readonly dismiss: () => Promise<void> };

/** Stops process `pid` when our own ends, and then removes `directory` if one is named. */
export function watchServer(pid: number, directory: string | undefined): Watchdog {
  // Its own session: neither Ctrl-C nor the end of our process group may take the watchdog along.
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'watchdog', String(pid), directory ?? ''], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
  shell.unref();
  const gone = once(shell, 'exit');
  return {
    dismiss: async () => {
      shell.ref();
      shell.kill('SIGKILL');
      await gone;
    },
  };
}

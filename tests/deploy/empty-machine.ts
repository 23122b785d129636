// Runs a script as root in an empty Debian root, in the network of a machine of tools/containers.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startKiller } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { DIFFERENCES, type Surroundings } from './differences.ts';

export type EmptyMachineOptions = {
  /** A bare Debian root; it stays as it is. */
  readonly root: string;
  /** A process of the network to join. */
  readonly networkPid: number;
  readonly imageStore: string;
  /** Where the machine keeps what it writes. */
  readonly instances: string;
  readonly surroundings: Surroundings;
};

export type EmptyMachine = {
  /** Path, seen from here, of a file of the machine that it has before it starts, or has left behind. */
  readonly fileOf: (name: string) => string;
  /** The same while it runs. */
  readonly liveFileOf: (name: string) => string;
  /** Runs to the end of the script and answers its exit code. */
  readonly type: (script: string, hear: (line: string) => void) => Promise<number | null>;
  readonly remove: () => void;
};

const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' };
const SCRIPT = 'typed-page';

export function makeEmptyMachine(options: EmptyMachineOptions): EmptyMachine {
  const { root, networkPid, imageStore, instances, surroundings } = options;
  mkdirSync(instances, { recursive: true });
  const instance = mkdtempSync(path.join(instances, 'empty-'));
  const fileOf = (name: string) => path.join(instance, 'upper', name);
  const put = (name: string, text: string, mode = 0o644) => {
    mkdirSync(path.dirname(fileOf(name)), { recursive: true });
    writeFileSync(fileOf(name), text, { mode });
  };
  for (const { file, text, mode } of DIFFERENCES) put(file, text(surroundings), mode);
  let first: number | undefined;

  async function type(script: string, hear: (line: string) => void): Promise<number | null> {
    put(SCRIPT, script);
    const enter = path.join(import.meta.dirname, 'enter-empty-root');
    const inNetwork = ['--target', String(networkPid), '--net', '--'];
    const inNamespaces = ['unshare', '--mount', '--pid', '--fork', '--kill-child'];
    const shell = ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail', `/${SCRIPT}`];
    const child = spawn('nsenter', [...inNetwork, ...inNamespaces, enter, root, instance, imageStore, ...shell], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: ENVIRONMENT,
      detached: true,
    });
    if (child.pid === undefined) throw new Error('nsenter does not start');
    const dismiss = startKiller(child.pid, { ask: 'TERM', force: 'KILL', patienceSeconds: 5, remove: instance });
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        first ??= firstProcess(child);
        hear(line);
      });
    const [exitCode] = (await once(child, 'close')) as [number | null];
    await dismiss();
    return exitCode;
  }

  return {
    fileOf,
    liveFileOf: (name) => path.join(`/proc/${first}/root`, name),
    type,
    remove: () => rmSync(instance, { recursive: true, force: true }),
  };
}

/** Of the new process namespace: the child of `unshare`. */
function firstProcess({ pid }: ChildProcess): number | undefined {
  const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return first === '' ? undefined : Number(first);
}

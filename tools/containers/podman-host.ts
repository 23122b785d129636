// A machine of its own for containers: processes, mounts and network of a Debian root with podman. It ends with all its
// containers when it is stopped, or when this process ends.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startKiller } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { containersCache } from './config.ts';

type Ran = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

export type PodmanHost = {
  /** Published ports are at this address, seen from this machine. */
  readonly address: string;
  /** This machine, seen from containers. */
  readonly outside: string;
  /** First process of the machine: its namespaces can be entered. */
  readonly pid: number;
  /** Runs a command inside. `docker` is podman, and `docker compose` is docker-compose. */
  readonly run: (argv: readonly string[], options?: { readonly cwd?: string }) => Promise<Ran>;
  /** The same, and throws unless it exits with 0. Answers what it printed. */
  readonly must: (argv: readonly string[], options?: { readonly cwd?: string }) => Promise<string>;
  /** Ends every container and process inside, and forgets what they wrote outside of shared folders. */
  readonly stop: () => Promise<void>;
};

export type PodmanOptions = {
  /** Folders of this machine, absolute, that have the same path inside. */
  readonly shared?: readonly string[];
  /** A store of images that containers may use and nobody changes. */
  readonly imageStore?: string;
};

const SOCKET = 'run/podman/podman.sock';
const START_MS = 20_000;
const STORAGE = (stores: readonly string[]) => `[storage]
driver = "overlay"
runroot = "/run/containers/storage"
graphroot = "/var/lib/containers/storage"
[storage.options]
additionalimagestores = ${JSON.stringify(stores)}
`;

export async function startPodman(root: string, options: PodmanOptions = {}): Promise<PodmanHost> {
  const { shared = [], imageStore } = options;
  const instances = path.join(containersCache(), 'instances');
  mkdirSync(instances, { recursive: true });
  const instance = mkdtempSync(path.join(instances, 'podman-'));
  const stores = imageStore === undefined ? [] : [imageStore];
  mkdirSync(path.join(instance, 'upper/etc/containers'), { recursive: true });
  writeFileSync(path.join(instance, 'upper/etc/containers/storage.conf'), STORAGE(stores));
  const script = path.join(import.meta.dirname, 'enter-root');
  const service = ['catatonit', '--', 'podman', 'system', 'service', '--time=0', `unix:///${SOCKET}`];
  const child = spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', script, root, instance, ...shared, ...stores, '--', ...service],
    { stdio: ['ignore', 'pipe', 'pipe'], env: ENVIRONMENT, detached: true },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const forget = () => rmSync(instance, { recursive: true, force: true });
  const dismiss =
    child.pid === undefined
      ? async () => {}
      : startKiller(child.pid, { ask: 'TERM', force: 'KILL', patienceSeconds: 5, remove: instance });
  const stop = async () => {
    await endChild(child);
    await dismiss();
    forget();
  };
  const deadline = performance.now() + START_MS;
  for (; child.exitCode === null && performance.now() < deadline; await sleep(50)) {
    const pid = firstProcess(child);
    const file = (name: string) => path.join(`/proc/${pid}/root`, name);
    if (pid === undefined || !existsSync(file('run/cable')) || !existsSync(file(SOCKET))) continue;
    const cable = readFileSync(file('run/cable'), 'utf8').trim();
    const run = runInside(pid);
    return { address: `10.213.${cable}.2`, outside: `10.213.${cable}.1`, pid, run, must: mustRun(run), stop };
  }
  await stop();
  throw new Error(`podman does not start in ${root}: ${output}`);
}

const ENVIRONMENT = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LANG: 'C.UTF-8',
  PODMAN_IGNORE_CGROUPSV1_WARNING: '1',
};

function runInside(pid: number): PodmanHost['run'] {
  const enter = ['--target', String(pid), '--mount', '--net', '--pid', '--', 'sh', '-c', 'cd "$0" && exec "$@"'];
  return (argv, { cwd = '/' } = {}) =>
    new Promise((resolve) => {
      const env = { ...ENVIRONMENT, DOCKER_HOST: `unix:///${SOCKET}` };
      execFile('nsenter', [...enter, cwd, ...argv], { env, maxBuffer: 1 << 28 }, (problem, stdout, stderr) => {
        const exitCode = problem === null ? 0 : typeof problem.code === 'number' ? problem.code : 1;
        resolve({ exitCode, stdout, stderr });
      });
    });
}

const mustRun =
  (run: PodmanHost['run']): PodmanHost['must'] =>
  async (argv, options) => {
    const { exitCode, stdout, stderr } = await run(argv, options);
    if (exitCode !== 0) throw new Error(`${argv.join(' ')} ended with ${exitCode}: ${stdout}${stderr}`);
    return stdout;
  };

/** Of the new process namespace: the child of `unshare`. */
function firstProcess({ pid }: ChildProcess): number | undefined {
  try {
    const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return first === '' ? undefined : Number(first);
  } catch {
    // It has ended: the caller sees that by its exit code.
    return undefined;
  }
}

/** The namespace ends with its first process, and `unshare` after it. */
async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const first = firstProcess(child);
  if (first === undefined) child.kill('SIGKILL');
  else process.kill(first, 'SIGKILL');
  await ended;
}

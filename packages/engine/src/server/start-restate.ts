// A Restate server of one's own on loopback, for tests, the bench and `npm run dev`. The platform's binary itself: npm's
// wrapper would be another process, with another pid, to kill.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';

export type RestateServer = {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  readonly pid: number;
  /** Settles when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Waits until it is gone. `SIGKILL` is a crash. */
  readonly stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>;
};

export type RestateOptions = {
  /** What it keeps; deleting it loses nothing that the database does not know. */
  readonly dataDirectory: string;
  /** The same ports after a restart, so that processes find it again. */
  readonly ports?: RestatePorts;
  /** Ends every invocation after each step and replays it: finds steps that are not deterministic. */
  readonly alwaysReplay?: boolean;
  /**
   * Sees to it that the server does not outlive us, and returns how to dismiss it. With a guard it runs in a session of
   * its own, so that Ctrl-C does not reach it before whoever uses it.
   */
  readonly guard?: (pid: number) => () => void;
  /** A member of a cluster instead of a server by itself. */
  readonly node?: RestateNode;
};

export type RestateNode = {
  readonly name: string;
  readonly configFile: string;
  /** What differs from that file. */
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
};

export type RestatePorts = { readonly ingress: number; readonly admin: number; readonly node: number };

const START_TIMEOUT_MS = 20_000;

export async function startRestate(options: RestateOptions): Promise<RestateServer> {
  const { dataDirectory, ports, guard, node: member } = options;
  const { ingress, admin, node } = ports ?? (await freePorts());
  mkdirSync(dataDirectory, { recursive: true });
  const binary = createRequire(import.meta.url).resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );
  const output = member === undefined ? 'ignore' : openSync(member.logFile, 'a');
  const child = spawn(binary, ['--no-logo', ...(member === undefined ? [] : ['--config-file', member.configFile])], {
    stdio: ['ignore', output, output],
    detached: guard !== undefined,
    env: {
      TMPDIR: dataDirectory,
      RESTATE_BASE_DIR: dataDirectory,
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(node),
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}/`,
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '64 MiB',
      ...(member === undefined ? alone(node, options) : { RESTATE_NODE_NAME: member.name, ...member.environment }),
    },
  });
  const dismiss = child.pid === undefined ? undefined : guard?.(child.pid);
  if (dismiss !== undefined) child.once('exit', dismiss);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop: RestateServer['stop'] = async (signal = 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  const adminUrl = `http://127.0.0.1:${admin}`;
  const ingressUrl = `http://127.0.0.1:${ingress}`;
  try {
    await healthy([`${adminUrl}/health`, `${ingressUrl}/restate/health`], () => child.exitCode !== null);
  } catch (problem) {
    await stop('SIGKILL');
    throw problem;
  }
  return { ingressUrl, adminUrl, pid: child.pid ?? 0, ended, stop };
}

const alone = (node: number, { alwaysReplay }: RestateOptions) => ({
  RESTATE_NODE_NAME: 'svc',
  RESTATE_CLUSTER_NAME: `svc-${node}`,
  RESTATE_AUTO_PROVISION: 'true',
  RESTATE_LISTEN_MODE: 'tcp',
  RESTATE_DEFAULT_NUM_PARTITIONS: '1',
  RESTATE_DISABLE_TELEMETRY: 'true',
  RESTATE_LOG_FILTER: 'error',
  ...(alwaysReplay && { RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: '0s' }),
});

async function healthy(urls: readonly string[], gone: () => boolean): Promise<void> {
  const startMs = performance.now();
  for (const url of urls) {
    for (;;) {
      if (gone()) throw new Error('the Restate server ended at start');
      if (performance.now() - startMs > START_TIMEOUT_MS) throw new Error('the Restate server did not start');
      const answered = await fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        // Not listening yet.
        () => false,
      );
      if (answered) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

export async function freePorts(): Promise<RestatePorts> {
  const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()]);
  return { ingress, admin, node };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

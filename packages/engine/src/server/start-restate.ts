// Starts a local Restate server on loopback for tests, the bench and `npm run dev`. It runs the platform's binary:
// npm's wrapper would be one more process, with one more pid to kill.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { reservePort } from '@svc-pay/runtime/process/reserve-port';

export type RestateServer = {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  readonly pid: number;
  /** Settles when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Resolves when the server is gone. `SIGKILL` simulates a crash. */
  readonly stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>;
};

export type RestateOptions = {
  /** State of the server; the database knows everything that is lost with it. */
  readonly dataDirectory: string;
  /** Fixed ports, so that processes find the server again after a restart. */
  readonly ports?: RestatePorts;
  /** Ends every invocation after each step and replays it: finds steps that are not deterministic. */
  readonly alwaysReplay?: boolean;
  /**
   * Makes sure that the server does not outlive this process, and returns how to dismiss the guard. With a guard the
   * server runs in its own session, so that Ctrl-C does not stop it before the processes that use it.
   */
  readonly guard?: (pid: number) => () => void;
  /** PEM file of the Ed25519 key that signs the calls of the server. Default: calls are not signed. */
  readonly identityFile?: string;
  /** Settings beside those that a local server needs. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Starts a member of a cluster instead of a single server. */
  readonly node?: RestateNode;
};

export type RestateNode = {
  readonly name: string;
  readonly configFile: string;
  /** Settings that differ from `configFile`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
};

export type RestatePorts = { readonly ingress: number; readonly admin: number; readonly node: number };

const START_TIMEOUT_MS = 20_000;

/** The program of this platform, as npm installed it. */
export const serverBinary = (): string =>
  createRequire(import.meta.url).resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );

export async function startRestate(options: RestateOptions): Promise<RestateServer> {
  const { dataDirectory, ports, guard, node: member } = options;
  const { ingress, admin, node } = ports ?? (await freePorts());
  mkdirSync(dataDirectory, { recursive: true });
  const output = member === undefined ? 'ignore' : openSync(member.logFile, 'a');
  const child = spawn(
    serverBinary(),
    ['--no-logo', ...(member === undefined ? [] : ['--config-file', member.configFile])],
    {
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
        ...options.environment,
        ...(member === undefined ? alone(node, options) : { RESTATE_NODE_NAME: member.name, ...member.environment }),
      },
    },
  );
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

const alone = (node: number, { alwaysReplay, identityFile }: RestateOptions) => ({
  RESTATE_NODE_NAME: 'svc',
  RESTATE_CLUSTER_NAME: `svc-${node}`,
  RESTATE_AUTO_PROVISION: 'true',
  RESTATE_LISTEN_MODE: 'tcp',
  RESTATE_DEFAULT_NUM_PARTITIONS: '1',
  RESTATE_DISABLE_TELEMETRY: 'true',
  RESTATE_LOG_FILTER: 'error',
  ...(identityFile !== undefined && {
    RESTATE_WORKER__INVOKER__REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: identityFile,
  }),
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
  return { ingress: await reservePort(), admin: await reservePort(), node: await reservePort() };
}

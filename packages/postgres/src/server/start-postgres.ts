// Starts a real PostgreSQL for development, benches and tests,
// from the binaries that npm installed. Operators run their own.
import { chown, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startKiller } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { findBinaries } from './binaries.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { launch } from './launch.ts';
import { waitForPreviousServer } from './previous-server.ts';
import { type ServerUser, serverUser } from './server-user.ts';

export { reservePort as freePort } from '@svc-pay/runtime/process/reserve-port';
export { findBinaries } from './binaries.ts';
export { waitForPreviousServer } from './previous-server.ts';
export { reachableDirectory } from './reachable-directory.ts';

export type PostgresOptions = {
  /** Kept after `stop`. Default: a temporary directory, removed at the end, even if this process crashes. */
  readonly dataDirectory?: string;
  /** Default: any free loopback port. */
  readonly port?: number;
  /** Server settings by name, e.g. `{ shared_buffers: '256MB' }`. Durability settings cannot be set here. */
  readonly settings?: Readonly<Record<string, string>>;
  /** False only if losing the data does not matter, as in tests. Default true. */
  readonly durable?: boolean;
};

export type PostgresServer = {
  /** Superuser, database `postgres`. Carries the password: do not log it. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Closes open connections, keeps committed data and leaves no process behind. */
  readonly stop: () => Promise<void>;
};

const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Runs as any user, also as root. The server ends with this process, however this process ends. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const durable = options.durable ?? true;
  const user = serverUser();
  const binaries = await findBinaries(user);
  const temporary = options.dataDirectory === undefined ? await temporaryDirectory(user, durable) : undefined;
  const dataDirectory = path.resolve(options.dataDirectory ?? path.join(temporary ?? '', 'data'));
  const password = await prepareDataDirectory(dataDirectory, binaries, user, durable);
  await waitForPreviousServer(dataDirectory);

  const settings = { ...options.settings, ...(durable ? DURABLE : NOT_DURABLE) };
  const { server, pid, port } = await launch({
    binaries,
    user,
    dataDirectory,
    settings,
    port: options.port,
    overwriteFreed: !durable,
  });
  // INT is PostgreSQL's fast shutdown, QUIT its immediate one.
  const dismissKiller = startKiller(pid, { ask: 'INT', force: 'QUIT', patienceSeconds: 10, remove: temporary });
  const ended = new Promise<void>((resolve) => {
    server.once('exit', () => {
      // The pid is free from now on: a killer that kept it might kill another process.
      void dismissKiller().then(resolve);
    });
  });
  // This process may end without calling `stop`: the killer then stops the server.
  server.unref();

  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    pid,
    ended,
    stop: async () => {
      server.ref();
      server.kill('SIGINT');
      await ended;
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    },
  };
}

async function temporaryDirectory(user: ServerUser | undefined, durable: boolean): Promise<string> {
  const parent = durable ? tmpdir() : ((await memoryFolder()) ?? tmpdir());
  const directory = await mkdtemp(path.join(parent, 'svc-pay-'));
  if (user !== undefined) await chown(directory, user.uid, user.gid);
  return directory;
}

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Each copy of a template database is a checkpoint: the suite of the database took 122 s on a busy disk, and 50 in memory.
 * Undefined where the machine has no such folder, or little room in it.
 */
async function memoryFolder(): Promise<string | undefined> {
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= NEEDED_BYTES ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reservePort } from '@svc-pay/runtime/process/reserve-port';
import type { Binaries } from './binaries.ts';
import { identity, type ServerUser } from './server-user.ts';

export type Launch = {
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly dataDirectory: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Undefined: any free port. */
  readonly port: number | undefined;
  /** Memory that the server frees is overwritten, so that a use of it afterwards fails far more often. */
  readonly overwriteFreed: boolean;
};

export type Running = { readonly server: ChildProcess; readonly pid: number; readonly port: number };

/** A setting of the GNU C library. PostgreSQL 18.4 has a use after free: docs/internals/planner-rules.md, rule 14. */
const OVERWRITE_FREED = { MALLOC_PERTURB_: '165' };

const TRIES = 10;
const START_PATIENCE_MS = 60_000;

/**
 * Starts the server and waits until it accepts connections; after a crash that includes PostgreSQL's crash recovery.
 */
export async function launch(plan: Launch): Promise<Running> {
  for (let tries = 1; ; tries += 1) {
    const port = plan.port ?? (await reservePort());
    const logFile = path.join(plan.dataDirectory, 'server.log');
    const server = spawnServer(plan, port, logFile);
    const { pid } = server;
    if (pid !== undefined && (await isReady(server, pid, plan.dataDirectory))) return { server, pid, port };
    server.kill('SIGKILL');
    const log = readFileSync(logFile, 'utf8');
    const lostThePort = plan.port === undefined && log.includes('Address already in use');
    // The sessions of a killed server end shortly after it.
    const sessionsLeft = log.includes('pre-existing shared memory block');
    if (!(lostThePort || sessionsLeft) || tries === TRIES) throw new Error(`PostgreSQL did not start:\n${log}`);
    await sleep(200);
  }
}

function spawnServer(plan: Launch, port: number, logFile: string): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    ...plan.settings,
  };
  // A file, not a pipe: a full pipe would block the server.
  const log = openSync(logFile, 'w', 0o600);
  try {
    const server = spawn(
      plan.binaries.postgres,
      ['-D', plan.dataDirectory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      // The server has a session of its own: Ctrl-C reaches only this process, which then stops the server in order.
      {
        ...identity(plan.user),
        detached: true,
        stdio: ['ignore', log, log],
        cwd: plan.dataDirectory,
        env: { LC_ALL: 'C', TZ: 'UTC', ...(plan.overwriteFreed && OVERWRITE_FREED) },
      },
    );
    server.once('error', () => {});
    return server;
  } finally {
    closeSync(log);
  }
}

async function isReady(server: ChildProcess, pid: number, dataDirectory: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < START_PATIENCE_MS; waitedMs += 20) {
    if (server.exitCode !== null || server.signalCode !== null) return false;
    const [owner, , , , , , , status] = readPidFile(dataDirectory);
    if (owner === String(pid) && status?.trim() === 'ready') return true;
    await sleep(20);
  }
  return false;
}

function readPidFile(dataDirectory: string): string[] {
  try {
    return readFileSync(path.join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    // Not written yet.
    return [];
  }
}

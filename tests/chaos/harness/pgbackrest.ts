// pgBackRest beside a PostgreSQL of a drill: the configuration that operators get, with the drill's paths, and the commands
// of docs/operate/restore.md.
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { commandOfPage, questionOfPage } from './page-commands.ts';
import { waitUntil } from './wait-until.ts';

const run = promisify(execFile);
const DEPLOY = path.resolve(import.meta.dirname, '../../../deploy/pgbackrest');
const ARCHIVED_MS = 60_000;
/** pgBackRest's exit code where another of its processes works. */
const LOCKED = 50;
const LOCKED_MS = 30_000;
/** A target within the second in which the backup ended is not reached. */
const APART_MS = 1_500;

export type Pgbackrest = {
  /** Settings that the server is started with. */
  readonly settings: Readonly<Record<string, string>>;
  /** Makes the stanza, checks that WAL arrives, and makes a full backup. The server runs. */
  readonly begin: (url: string) => Promise<void>;
  /** An incremental backup; then the moment to which `restore` goes back. */
  readonly backUp: (url: string) => Promise<void>;
  /** Every commit up to now is in the repository. */
  readonly awaitArchive: (url: string) => Promise<void>;
  /** Restores the data directory, which is gone, as it was at the moment of `backUp`. The server is stopped. */
  readonly restore: () => Promise<void>;
};

export type PgbackrestPlan = {
  readonly binary: string;
  /** Of the repository, the spool, logs and locks; made here. */
  readonly folder: string;
  readonly dataDirectory: string;
  readonly port: number;
};

export function createPgbackrest({ binary: fetched, folder, dataDirectory, port }: PgbackrestPlan): Pgbackrest {
  const inside = (name: string) => path.join(folder, name);
  // The server runs as another user, who may not enter the folder of the project.
  const binary = inside('pgbackrest');
  const config = inside('pgbackrest.conf');
  let owner: { uid: number; gid: number } | undefined;
  let password = '';
  let moment = '';
  /** `change` puts the drill's own values into the page's command. */
  const call = async (end: string, change: (argv: readonly string[]) => readonly string[] = (argv) => argv) => {
    const env = { PGPASSWORD: password, LC_ALL: 'C', TZ: 'UTC' };
    const argv = change(commandOfPage('pgbackrest', end));
    return run(binary, [`--config=${config}`, ...argv], { env, ...owner });
  };
  // The log of the drill's server belongs to the drill, who may be another user.
  const backUp = (end: string) => call(end, (argv) => [...argv, '--exclude=server.log']);
  writeFolder(folder, { dataDirectory, port });
  copyFileSync(fetched, binary);
  chmodSync(binary, 0o755);
  return {
    settings: { ...serverSettings(binary, config), unix_socket_directories: inside('socket') },
    begin: async (url) => {
      const { uid, gid } = statSync(dataDirectory);
      owner = { uid, gid };
      ({ password } = new URL(url));
      // Until the stanza exists, the server's own attempts to push WAL fail, and hold the lock while they do.
      const made = () =>
        call('stanza-create').then(
          () => true,
          (problem: unknown) => {
            if ((problem as { code?: number }).code === LOCKED) return false;
            throw problem;
          },
        );
      if (!(await waitUntil(made, LOCKED_MS, 500))) throw new Error('another pgBackRest holds the lock');
      await call('check');
      await backUp('--type=full backup');
    },
    backUp: async (url) => {
      await backUp('--type=incr backup');
      const { stdout } = await call('info');
      if (!stdout.includes('incr backup')) throw new Error(`pgbackrest info names no backup: ${stdout}`);
      await new Promise((resolve) => setTimeout(resolve, APART_MS));
      moment = await ask(url, 'select clock_timestamp()::text as answer');
    },
    awaitArchive: async (url) => {
      const last = await ask(url, 'select pg_walfile_name(pg_switch_wal()) as answer');
      const sql = `select coalesce(last_archived_wal >= '${last}', false)::text as answer from pg_stat_archiver`;
      if (!(await waitUntil(async () => (await ask(url, sql)) === 'true', ARCHIVED_MS, 100)))
        throw new Error(`${last} is not archived after ${ARCHIVED_MS} ms`);
      const archiving = await ask(
        url,
        `select archiving::text as answer from (${questionOfPage().replace(';', '')}) as page`,
      );
      if (archiving !== 'true') throw new Error('the page calls an archiver that works broken');
    },
    restore: async () => {
      mkdirSync(dataDirectory, { mode: 0o700 });
      if (owner !== undefined) chownSync(dataDirectory, owner.uid, owner.gid);
      await call('restore', (argv) => argv.map((one) => (one.startsWith('--target=') ? `--target=${moment}` : one)));
    },
  };

  function writeFolder(at: string, changed: Pick<PgbackrestPlan, 'dataDirectory' | 'port'>): void {
    const paths = ['repo', 'spool', 'log', 'lock', 'socket'];
    rmSync(at, { recursive: true, force: true });
    // The server may run as another user, who does not exist before its data directory does.
    for (const name of ['', ...paths]) {
      mkdirSync(path.join(at, name), { recursive: true });
      chmodSync(path.join(at, name), 0o777);
    }
    const values: Readonly<Record<string, string>> = {
      'repo1-path': inside('repo'),
      'spool-path': inside('spool'),
      'log-path': inside('log'),
      'pg1-path': changed.dataDirectory,
      'pg1-port': String(changed.port),
      'pg1-socket-path': inside('socket'),
    };
    const text = readFileSync(path.join(DEPLOY, 'pgbackrest.conf'), 'utf8');
    const lines = text.split('\n').flatMap((line) => {
      const [key = ''] = line.split('=');
      // The default is one folder of the machine, which may belong to another user.
      if (line === '[global]') return [line, `lock-path=${inside('lock')}`];
      return values[key] === undefined ? line : `${key}=${values[key]}`;
    });
    writeFileSync(config, lines.join('\n'), { mode: 0o644 });
  }
}

/** The operators' settings, with the drill's program and configuration in the command. */
function serverSettings(binary: string, config: string): Record<string, string> {
  const text = readFileSync(path.join(DEPLOY, 'postgresql.conf'), 'utf8');
  const pairs = [...text.matchAll(/^([a-z_]+) = '?(.*?)'?$/gm)].map(([, name = '', value = '']) => [
    name,
    value.replace(/^pgbackrest /, `${binary} --config=${config} `),
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

async function ask(url: string, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ answer: string }>(sql);
    return rows[0]?.answer ?? '';
  } finally {
    await client.end();
  }
}

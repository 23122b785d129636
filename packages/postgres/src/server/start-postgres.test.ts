import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type PostgresOptions, type PostgresServer, startPostgres } from './start-postgres.ts';

const scratch = await mkdtemp(path.join(tmpdir(), 'svc-pay-start-'));
// The server's user must be able to enter the folder.
await chmod(scratch, 0o711);
afterAll(() => rm(scratch, { recursive: true }));

async function start(options: PostgresOptions): Promise<PostgresServer> {
  const server = await startPostgres(options);
  onTestFinished(server.stop);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows.flatMap((row) => Object.values(row));
  } finally {
    await client.end();
  }
}

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a commit is on disk before it is answered, whatever settings are passed', async () => {
  const { url } = await start({ settings: { fsync: 'off', synchronous_commit: 'off' } });
  const names = ['fsync', 'synchronous_commit', 'full_page_writes'];
  expect(await query(url, `select ${names.map((name) => `current_setting('${name}') as ${name}`).join()}`)).toEqual([
    'on',
    'on',
    'on',
  ]);
});

test('committed rows survive a kill of the server and its restart', async () => {
  const dataDirectory = path.join(scratch, 'killed');
  const first = await start({ dataDirectory });
  await query(first.url, 'create table kept as select generate_series(1, 1000) as n');
  process.kill(first.pid, 'SIGKILL');
  await first.ended;

  const second = await start({ dataDirectory });
  expect(await query(second.url, 'select count(*)::integer from kept')).toEqual([1000]);
});

test('nobody gets in without the password', async () => {
  const { port } = await start({ durable: false });
  await expect(query(`postgres://postgres:wrong@127.0.0.1:${port}/postgres`, 'select 1')).rejects.toThrow(
    /password authentication failed/,
  );
});

test('stop leaves neither process nor temporary data behind', async () => {
  const server = await startPostgres({ durable: false });
  const [directory] = await query(server.url, "select current_setting('data_directory')");
  expect(existsSync(String(directory))).toBe(true);
  await server.stop();
  expect(isRunning(server.pid)).toBe(false);
  expect(existsSync(path.dirname(String(directory)))).toBe(false);
});

/** Starts another process that starts a server, prints its pid and directory, and waits. */
async function ownerOf(options: PostgresOptions): Promise<{ owner: ChildProcess; pid: number; directory: string }> {
  const script = `
    import { startPostgres } from ${JSON.stringify(new URL('start-postgres.ts', import.meta.url).href)};
    import pg from 'pg';
    const server = await startPostgres(${JSON.stringify(options)});
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query("select current_setting('data_directory') as directory");
    console.log(JSON.stringify({ pid: server.pid, directory: rows[0].directory }));
    setInterval(() => {}, 1_000);
  `;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    owner.kill('SIGKILL');
  });
  const [said] = await once(owner.stdout, 'data');
  return { owner, ...JSON.parse(String(said)) };
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a server ends, and its temporary data goes, when its owner ends by %s',
  async (signal) => {
    const { owner, pid, directory } = await ownerOf({ durable: false });
    expect(isRunning(pid)).toBe(true);
    owner.kill(signal);
    await once(owner, 'exit');
    for (let waitedMs = 0; waitedMs < 10_000 && existsSync(path.dirname(directory)); waitedMs += 50) await sleep(50);
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(path.dirname(directory))).toBe(false);
  },
);

test('a start right after the crash of the last owner waits for the old server, then serves', async () => {
  const dataDirectory = path.join(scratch, 'orphaned');
  const { owner } = await ownerOf({ dataDirectory });
  owner.kill('SIGKILL');
  const { url } = await start({ dataDirectory });
  expect(await query(url, 'select 1 as one')).toEqual([1]);
});

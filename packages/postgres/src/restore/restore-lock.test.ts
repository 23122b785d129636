import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { systemClock } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { RestoreRunning } from '../database/service-lock.ts';
import { createTestDatabase } from '../testing/index.ts';
import { endWithItsMachine, lockRestore, RestoreLockLost } from './restore-lock.ts';
import { createRestoreStore } from './restore-store.ts';
import { writeUnderLock } from './write-under-lock.ts';

const { pool: admin, url } = await createTestDatabase();

function open(applicationName: string, isService: boolean) {
  const options = { applicationName, isService, maxConnections: 3, statementTimeoutMs: 10_000 };
  const database = openDatabase(url, { ...options, onConnectionLost: () => {} });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= database.close();
    return closed;
  };
  onTestFinished(close);
  return { ...database, close };
}

/** A restore that holds the lock until it is told to end. */
async function holdLock() {
  const { pool } = open('svc-operator', false);
  const started = Promise.withResolvers<() => Promise<void>>();
  const end = Promise.withResolvers<string>();
  const held = lockRestore(pool, (requireLock) => {
    started.resolve(requireLock);
    return end.promise;
  });
  return { pool, held, end: end.resolve, requireLock: await started.promise };
}

test('while a restore runs no service gets a connection, and it works as soon as the restore has ended', async () => {
  const { held, end, requireLock } = await holdLock();
  const service = open('svc-settlement', true);
  await expect(service.ping()).rejects.toThrow(RestoreRunning);
  await expect(service.ping()).rejects.toThrow(/svc restore/);
  await open('svc-operator', false).ping();
  await requireLock();
  end('done');
  expect(await held).toEqual({ ok: true, result: 'done' });
  await service.ping();
});

test('a restore does not begin beside a service, whatever pool its connection is of, nor beside another restore', async () => {
  const work = async () => 'must not run';
  const { pool } = open('svc-operator', false);
  const service = open('svc-api-exports', true);
  await service.ping();
  expect(await lockRestore(pool, work)).toEqual({ ok: false, code: 'services_running', who: ['svc-api-exports'] });
  await service.close();
  const old = new pg.Client({ connectionString: url, application_name: 'svc-api' });
  await old.connect();
  // The server needs a moment until a closed connection is gone.
  await expect.poll(() => lockRestore(pool, work)).toEqual({ ok: false, code: 'services_running', who: ['svc-api'] });
  await old.end();
  await expect.poll(() => lockRestore(pool, async () => 'runs')).toEqual({ ok: true, result: 'runs' });
  const { held, end } = await holdLock();
  const who = [expect.stringMatching(/^server process \d+, from \S.*, since \d{4}-/)];
  expect(await lockRestore(pool, work)).toEqual({ ok: false, code: 'recovery_running', who });
  end('done');
  await held;
  expect(await lockRestore(pool, async () => 'runs')).toEqual({ ok: true, result: 'runs' });
});

test('a restore that fails leaves no lock behind', async () => {
  const { pool } = open('svc-operator', false);
  await expect(lockRestore(pool, () => Promise.reject(new Error('no node')))).rejects.toThrow('no node');
  await expect.poll(() => lockRestore(pool, async () => 'runs')).toEqual({ ok: true, result: 'runs' });
});

test('a restore whose lock is lost writes nothing more, and says so', async () => {
  const { held, end, requireLock, pool } = await holdLock();
  const store = writeUnderLock(createRestoreStore(pool, { clock: systemClock, actor: 'operator:test' }), requireLock);
  const network = evmNetwork(84_532);
  await store.openRestore(network, { fromBlock: 5n, relayers: [] });
  await admin.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'
       and database = (select oid from pg_database where datname = current_database())`,
  );
  const service = open('svc-settlement', true);
  await expect.poll(() => service.ping().then(() => 'connected', String)).toBe('connected');
  await expect(store.openRestore(network, { fromBlock: 1n, relayers: [] })).rejects.toThrow(RestoreLockLost);
  await expect(store.skipUsedIntentCodes([])).rejects.toThrow(RestoreLockLost);
  expect(await store.loadOpenRestore(network)).toMatchObject({ fromBlock: 5n });
  end('done');
  await expect(held).rejects.toThrow(RestoreLockLost);
});

/** The way to the database, which can be cut without a word to either side. */
async function openWay() {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(port || 5432), hostname);
    sockets.push(near, far);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  const cut = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { url: through.href, cut };
}

test('a restore that only asks nodes hears that the way to its lock is gone', async () => {
  const way = await openWay();
  const pool = new pg.Pool({ connectionString: way.url, max: 1 });
  pool.on('error', () => {});
  const started = Promise.withResolvers<void>();
  const held = lockRestore(
    pool,
    () => {
      started.resolve();
      return new Promise<never>(() => {});
    },
    { everyMs: 50, answerMs: 500, turnAwayMs: 10_000 },
  );
  await started.promise;
  way.cut();
  await expect(held).rejects.toThrow(RestoreLockLost);
});

test('the server gives up a session whose machine is gone within a minute', async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await endWithItsMachine(client);
  const { rows } = await client.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name like 'tcp_keepalives%' order by name`,
  );
  expect(rows.map(({ setting }) => setting)).toEqual(['3', '20', '10']);
});

test('a restore whose writes go to another server than its lock writes nothing', async () => {
  const { held, end, requireLock, pool } = await holdLock();
  await requireLock();
  // As after a failover: the lock's session lives on, and the connections that come later are of another server.
  const idle = await Promise.all([pool.connect(), pool.connect()]);
  for (const client of idle) client.release(true);
  Object.assign(pool.options, { connectionString: (await createTestDatabase()).url });
  await expect(requireLock()).rejects.toThrow(RestoreLockLost);
  end('done');
  expect(await held).toEqual({ ok: true, result: 'done' });
});

test('a restore does not begin beside an API without requests, and stops when a service of an earlier version starts', async () => {
  const { pool } = open('svc-operator', false);
  const watch = new pg.Client({ connectionString: url, application_name: 'svc-watch' });
  await watch.connect();
  const refused = { ok: false, code: 'services_running', who: ['svc-watch'] };
  expect(await lockRestore(pool, async () => 'must not run')).toEqual(refused);
  await watch.end();
  const patience = { everyMs: 20, answerMs: 5_000, turnAwayMs: 100 };
  const old = new pg.Client({ connectionString: url, application_name: 'svc-settlement' });
  onTestFinished(() => old.end());
  const run = () =>
    lockRestore(
      pool,
      async () => {
        await old.connect();
        await new Promise<never>(() => {});
      },
      patience,
    );
  await expect.poll(() => lockRestore(pool, async () => 'runs')).toEqual({ ok: true, result: 'runs' });
  await expect(run()).rejects.toThrow(/earlier version have started: svc-settlement/);
});

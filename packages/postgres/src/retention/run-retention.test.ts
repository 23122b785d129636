import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { idAt } from '../testing/id-at.ts';
import { crashAtEachStep, linesOf, monthOf, openRetention as openWorld } from '../testing/retention-world.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { listArchives, readManifest } from './archive-files.ts';
import { listRetiredPartitions } from './list-retired.ts';
import { reportRetention } from './report-retention.ts';

const OLD = Date.UTC(2024, 0, 10);
test('a crash between any two steps leaves the rows or a whole archive, and the next run ends what it began', async () => {
  const world = await openWorld();
  const months = await crashAtEachStep(world, (index) => Date.UTC(2024, index, 10), monthOf);
  expect(await listArchives(world.directory)).toEqual(months.map((month) => `${month}.1`));
  expect(await reportRetention(world.pool)).toMatchObject({ problem: null });
}, 60_000);

test('an archive gives back the rows that were dropped, whatever their types', async () => {
  const { pool, directory, run, makeMonth, addEvents } = await openWorld('delivery_attempts', 'gas_losses');
  await makeMonth(OLD);
  await addEvents(OLD, 3);
  const eventId = idAt('evt', OLD);
  await insertRow(pool, 'delivery_attempts', {
    event_id: eventId,
    request_headers: '{"a": 1e400, "b": {"c": [null, "\\u2028"]}}',
    response_excerpt: Buffer.from([0, 10, 92, 255]),
    started_at: new Date(OLD + 1),
  });
  await insertRow(pool, 'gas_losses', { id: idAt('lg', Date.UTC(2010, 1, 1)), amount: (2n ** 255n).toString() });
  const tables = ['events', 'delivery_attempts', 'gas_losses'];
  const contents = async () =>
    Promise.all(tables.map(async (table) => (await pool.query(`select t::text from svc.${table} t order by 1`)).rows));
  const before = await contents();
  expect((await run()).failures).toEqual(new Map());
  expect((await contents()).flat()).toEqual([]);
  for (const name of await listArchives(directory)) {
    const { table = '' } = (await readManifest(directory, name)) ?? {};
    await pool.query(
      `insert into svc.${table} select (json_populate_record(null::svc.${table}, line::json)).* from unnest($1::text[]) line`,
      [await linesOf(directory, name)],
    );
  }
  expect(await contents()).toEqual(before);
});

test('an archive that differs from the rows, or is damaged on disk, is no reason to drop anything', async () => {
  const { pool, directory, run, addEvents, exists, makeMonth } = await openWorld();
  const month = monthOf('events', OLD);
  await makeMonth(OLD);
  await addEvents(OLD);
  const crash = (step: string) =>
    run({
      onStep: (reached, of) => {
        if (reached === step && of === month) throw new Error('crash');
      },
    });
  await crash('archived');
  await pool.query(`update svc.${month} set sequence = 0 where sequence = 700`);
  const differs = await run();
  expect(differs.failures.get(month)).toMatch(/differs from its rows/);
  expect(await exists(month)).toBe(true);
  // Nothing is deleted: it may be the only copy of something.
  expect(await readdir(directory)).toEqual([expect.stringContaining(`${month}.1.differs-`)]);

  await crash('archived');
  const file = join(directory, `${month}.1`, 'rows.ndjson.gz');
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(7, bytes.length >> 1, (bytes.length >> 1) + 20));
  const damaged = await run();
  expect(damaged.failures.has(month)).toBe(true);
  expect(await exists(month)).toBe(true);
  expect((await reportRetention(pool)).problem).toContain(month);
});

test('without a word of the operator rows stay and are reported; with `off` they leave without a copy', async () => {
  const { pool, base, run, addEvents, exists, makeMonth } = await openWorld('deliveries');
  await makeMonth(OLD);
  await addEvents(OLD, 2);
  const month = monthOf('events', OLD);
  const unset = { archive: 'unset', archiveDirectory: undefined } as const;
  const { retired } = await run(unset);
  expect(retired.get(month)).toEqual({ outcome: 'waits', reason: 'archive_not_set' });
  // A month without rows needs no copy.
  expect(retired.get(monthOf('deliveries', OLD))).toEqual({ outcome: 'dropped', rows: 0 });
  expect(await exists(month)).toBe(true);
  expect((await reportRetention(pool)).problem).toContain(`${month}: archive_not_set`);
  const report = await reportRetention(pool);
  expect(report.tables.filter(({ expired }) => expired > 0)).toMatchObject([{ tableName: 'events', expired: 1 }]);

  expect((await run({ archive: 'off', archiveDirectory: undefined })).retired.get(month)).toEqual({
    outcome: 'dropped',
    rows: 2,
  });
  expect(await exists(month)).toBe(false);
  expect(await readdir(base)).toEqual([]);
  expect(await listRetiredPartitions(pool)).toContainEqual(
    expect.objectContaining({ name: `${month}.1`, sha256: null }),
  );
});

test.each([
  ['settlements', { payment_id: idAt('pay', OLD), status: 'queued' }],
  ['authorizations', { intent_id: idAt('pi', OLD), closed_at: null }],
] as const)('a month of %s with work to do stays', async (table, row) => {
  const { pool, run, exists, makeMonth } = await openWorld(table);
  await makeMonth(OLD);
  await insertRow(pool, table, row);
  const { retired } = await run({ archive: 'off' });
  expect(retired.get(monthOf(table, OLD))).toEqual({ outcome: 'waits', reason: 'unfinished_rows' });
  expect(await exists(monthOf(table, OLD))).toBe(true);
});

test('rows of months that never had a partition move to theirs, and leave when those are no longer kept', async () => {
  const { pool, directory, run, addEvents } = await openWorld();
  const keptMs = Date.now() - 100 * 86_400_000;
  await addEvents(OLD, 2);
  await addEvents(keptMs, 2);
  const report = await reportRetention(pool);
  expect(report.tables.find(({ tableName }) => tableName === 'events')?.hasStrayRows).toBe(true);
  await run();
  const after = await reportRetention(pool);
  expect(after.tables.filter(({ hasStrayRows, daysAhead }) => hasStrayRows || daysAhead < 89)).toEqual([]);
  expect(await listArchives(directory)).toEqual([`${monthOf('events', OLD)}.1`]);
  const { rows } = await pool.query('select tableoid::regclass::text as home from svc.events');
  expect(rows.map(({ home }) => home)).toEqual([1, 2].map(() => `svc.${monthOf('events', keptMs)}`));
});

test('a transaction that has read a table for hours delays its partitions and nobody else', async () => {
  const { pool, run, addEvents } = await openWorld();
  await addEvents(OLD, 2);
  const [backup, payer] = [await pool.connect(), await pool.connect()];
  await backup.query('begin');
  await backup.query('select from svc.events limit 1');
  const running = run();
  await payer.query("set statement_timeout = '900ms'");
  const read = async () => {
    for (let left = 10; left > 0; left -= 1) {
      await payer.query('select from svc.events limit 1');
      await sleep(100);
    }
  };
  const waited = await read().then(
    () => 'less than a second',
    (problem: unknown) => problem,
  );
  await backup.query('commit');
  for (const client of [backup, payer]) client.release(true);
  expect(waited).toBe('less than a second');
  expect((await running).retired.get(monthOf('events', OLD))).toEqual({ outcome: 'archived', rows: 2 });
});

test('rows that come for a month that is gone leave a month later, in an archive of their own', async () => {
  const { pool, directory, run, addEvents } = await openWorld();
  const month = monthOf('events', OLD);
  await addEvents(OLD, 3);
  await run();
  await addEvents(OLD, 2);
  expect((await run()).retired).toEqual(new Map());
  const { tables } = await reportRetention(pool);
  expect(tables.filter(({ hasStrayRows, expired }) => hasStrayRows || expired > 0)).toEqual([]);
  await pool.query("update svc.retired_partitions set dropped_at = now() - interval '32 days'");
  await run();
  expect(await listArchives(directory)).toEqual([`${month}.1`, `${month}.2`]);
  expect(await Promise.all([1, 2].map(async (n) => (await linesOf(directory, `${month}.${n}`)).length))).toEqual([
    3, 2,
  ]);
});

test('two processes do not retire at once', async () => {
  const { service, run } = await openWorld();
  const client = await service.connect();
  await client.query("select pg_advisory_lock(hashtextextended('svc.retention', 0))");
  expect((await run()).ran).toBe(false);
  client.release(true);
});

test('settlement reads, detaches and drops no month that is kept', async () => {
  const { pool, service, makeMonth } = await openWorld('attempts');
  await makeMonth(OLD);
  const kept = monthOf('attempts', Date.now());
  const expired = monthOf('events', OLD);
  for (const call of [
    `svc.detach_expired_partition('${kept}')`,
    `svc.read_retired_partition('${kept}', null, 1)`,
    `svc.drop_retired_partition('${kept}', 0, null)`,
    `svc.lock_retired_partition('accounts')`,
    // Not before it is detached.
    `svc.drop_retired_partition('${expired}', 0, null)`,
  ]) {
    await expect(service.query(`select ${call}`), call).rejects.toMatchObject({ code: '55000' });
  }
  await pool.query(`select from svc.${kept}`);
});

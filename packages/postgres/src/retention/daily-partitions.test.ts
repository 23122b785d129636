import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { idAt } from '../testing/id-at.ts';
import { crashAtEachStep, dayOf, monthOf, openRetention } from '../testing/retention-world.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { listArchives } from './archive-files.ts';
import { reportRetention } from './report-retention.ts';

const DAY_MS = 86_400_000;
const OLD = Date.UTC(2024, 0, 10);
/** The first moment of the month that is `ahead` months after this one. */
const monthAhead = (ahead: number) => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead);
};

type World = Awaited<ReturnType<typeof openRetention>>;
const partitionsOf = async ({ pool }: World, table = 'events') => {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on oid = inhrelid
     where inhparent = $1::regclass order by relname collate "C"`,
    [`svc.${table}`],
  );
  return rows.map(({ name }) => name);
};
const homesOf = async ({ pool }: World) => {
  const { rows } = await pool.query<{ home: string }>(
    'select distinct substr(tableoid::regclass::text, 5) as home from svc.events order by 1',
  );
  return rows.map(({ home }) => home);
};
/** As settlement asks, at another time. */
const makeReady = ({ service }: World, atMs: number) =>
  service.query('select svc.ensure_partitions(1, 3, $1)', [new Date(atMs)]);

test('a change to days keeps months that have rows, replaces those that have none, and days begin behind them', async () => {
  const world = await openRetention();
  const now = Date.now();
  await world.addEvents(now, 2);
  await world.addEvents(monthAhead(2) + 5 * DAY_MS, 2);
  await world.cutInto('day');
  expect((await world.run()).failures).toEqual(new Map());
  const months = (await partitionsOf(world)).filter((name) => /_\d{4}_\d{2}$/.test(name));
  expect(months).toEqual([monthOf('events', monthAhead(-1)), monthOf('events', now), monthOf('events', monthAhead(2))]);

  await makeReady(world, monthAhead(1));
  await world.addEvents(monthAhead(1) - 1, 2);
  await world.addEvents(monthAhead(1), 2);
  await world.addEvents(monthAhead(1) + DAY_MS - 1, 2);
  await world.addEvents(monthAhead(1) + DAY_MS, 2);
  expect(await homesOf(world)).toEqual([
    monthOf('events', now),
    dayOf('events', monthAhead(1)),
    dayOf('events', monthAhead(1) + DAY_MS),
    monthOf('events', monthAhead(2)),
  ]);
  expect((await partitionsOf(world)).filter((name) => name.startsWith(`${monthOf('events', monthAhead(2))}_`))).toEqual(
    [],
  );
});

test('an installation without rows has partitions of days from the same run on', async () => {
  const world = await openRetention('deliveries');
  await world.cutInto('day');
  await world.run();
  const today = Date.now();
  for (const table of ['events', 'deliveries']) {
    const made = await partitionsOf(world, table);
    expect(made).toEqual(expect.arrayContaining([0, 1, 10].map((ahead) => dayOf(table, today + ahead * DAY_MS))));
    expect(made).not.toContain(monthOf(table, today));
    expect(made).not.toContain(dayOf(table, today + 11 * DAY_MS));
  }
  const { tables } = await reportRetention(world.pool);
  expect(tables.map(({ daysAhead, hasStrayRows }) => ({ daysAhead, hasStrayRows }))).toEqual(
    tables.map(() => ({ daysAhead: 10, hasStrayRows: false })),
  );
  const { rows } = await world.pool.query('select reloptions from pg_class where relname = $1', [
    dayOf('deliveries', today),
  ]);
  expect(rows).toEqual([{ reloptions: ['fillfactor=50'] }]);
  const before = await partitionsOf(world);
  await world.run();
  expect(await partitionsOf(world)).toEqual(before);
});

test('a row that is being written into an empty month keeps that month', async () => {
  const world = await openRetention();
  await world.cutInto('day');
  const writer = await world.pool.connect();
  await writer.query('begin');
  const now = Date.now();
  await insertRow(writer, 'events', { id: idAt('evt', now) });
  // It sees no row yet, and waits for the table in vain.
  await expect(world.service.query('select svc.drop_replaced_partitions()')).rejects.toMatchObject({ code: '55P03' });
  // Committed while it waits: what it saw before it had the table counts no more.
  const waits = world.service.query('select svc.drop_replaced_partitions() as name');
  await sleep(100);
  await writer.query('commit');
  writer.release();
  expect((await waits).rows).not.toContainEqual({ name: monthOf('events', now) });
  await world.run();
  expect(await homesOf(world)).toEqual([monthOf('events', now)]);
});

test('a snapshot from before a row came replaces nothing', async () => {
  const world = await openRetention();
  await world.cutInto('day');
  const late = await world.service.connect();
  await late.query('begin isolation level repeatable read');
  await late.query('select from svc.retention_runs');
  await world.addEvents(monthAhead(1), 2);
  await expect(late.query('select svc.drop_replaced_partitions()')).rejects.toMatchObject({ code: '25000' });
  late.release(true);
  expect(await homesOf(world)).toEqual([monthOf('events', monthAhead(1))]);
});

test('a crash between any two steps of a day leaves its rows or a whole archive, and the next run ends what it began', async () => {
  const world = await openRetention();
  await world.cutInto('day');
  const days = await crashAtEachStep(world, (index) => OLD + index * DAY_MS, dayOf);
  expect(await listArchives(world.directory)).toEqual(days.map((day) => `${day}.1`));
  expect(await reportRetention(world.pool)).toMatchObject({ problem: null });
}, 60_000);

test('a day leaves when it is older than the months kept, and the day after it does not', async () => {
  const world = await openRetention();
  await world.cutInto('day');
  await world.run();
  const { rows } = await world.pool.query<{ first: Date }>(
    `select (date_trunc('day', now() at time zone 'UTC') - interval '3 months') at time zone 'UTC' as first`,
  );
  const firstKept = rows[0]?.first.getTime() ?? 0;
  await world.addEvents(firstKept - 1, 3);
  await world.addEvents(firstKept, 3);
  const { retired } = await world.run();
  expect(retired).toEqual(new Map([[dayOf('events', firstKept - 1), { outcome: 'archived', rows: 3 }]]));
  expect(await homesOf(world)).toEqual([dayOf('events', firstKept)]);
});

test('rows without a partition move to their days, and to months where months are', async () => {
  const world = await openRetention('deliveries');
  await world.pool.query(
    "update svc.partitioned_tables set partition_by = 'day', months_kept = 3 where table_name = 'events'",
  );
  const kept = Date.now() - 60 * DAY_MS;
  for (const day of [0, 1, 3]) await world.addEvents(kept + day * DAY_MS, 2);
  await insertRow(world.pool, 'deliveries', { event_id: idAt('evt', kept) });
  await world.run();
  expect(await homesOf(world)).toEqual([0, 1, 3].map((day) => dayOf('events', kept + day * DAY_MS)));
  const { rows } = await world.pool.query('select tableoid::regclass::text as home from svc.deliveries');
  expect(rows).toEqual([{ home: `svc.${monthOf('deliveries', kept)}` }]);
  const { tables } = await reportRetention(world.pool);
  expect(tables.filter(({ hasStrayRows }) => hasStrayRows)).toEqual([]);
});

test('rows that come for a day whose month is gone leave a month later, in an archive of their own', async () => {
  const world = await openRetention();
  await world.addEvents(OLD, 3);
  await world.run();
  await world.cutInto('day');
  await world.addEvents(OLD, 2);
  expect((await world.run()).retired).toEqual(new Map());
  await world.pool.query("update svc.retired_partitions set dropped_at = now() - interval '32 days'");
  await world.run();
  expect(await listArchives(world.directory)).toEqual([`${monthOf('events', OLD)}.1`, `${dayOf('events', OLD)}.1`]);
});

test('a change back to months keeps days that have rows to the end of their month, and months begin behind them', async () => {
  const world = await openRetention();
  await world.cutInto('day');
  await world.run();
  await makeReady(world, monthAhead(1));
  const now = Date.now();
  await world.addEvents(now, 2);
  await world.cutInto('month');
  await world.run();
  await makeReady(world, monthAhead(1) - DAY_MS);
  const made = await partitionsOf(world);
  expect(made).toEqual(
    expect.arrayContaining([
      dayOf('events', now),
      dayOf('events', monthAhead(1) - DAY_MS),
      monthOf('events', monthAhead(1)),
      monthOf('events', monthAhead(3)),
    ]),
  );
  expect(made.filter((name) => name.startsWith(`${monthOf('events', monthAhead(1))}_`))).toEqual([]);
  await world.addEvents(monthAhead(1) - 1, 2);
  await world.addEvents(monthAhead(1), 2);
  expect(await homesOf(world)).toEqual([
    ...new Set([dayOf('events', now), dayOf('events', monthAhead(1) - 1)]),
    monthOf('events', monthAhead(1)),
  ]);
  const { tables } = await reportRetention(world.pool);
  expect(tables.filter(({ hasStrayRows }) => hasStrayRows)).toEqual([]);
});

test('days are refused for a table that is kept so long that it would have thousands of them', async () => {
  const { pool } = await openRetention('payments');
  const change = (months: number | null) =>
    pool.query(
      "update svc.partitioned_tables set partition_by = 'day', months_kept = $1 where table_name = 'payments'",
      [months],
    );
  for (const months of [4, null]) await expect(change(months)).rejects.toMatchObject({ code: '23514' });
  await change(3);
});

test('a process of the release before makes days by its own calls, and reads no shortage from them', async () => {
  const world = await openRetention();
  await world.cutInto('day');
  await world.run();
  const stray = Date.now() - 62 * DAY_MS;
  await world.addEvents(stray, 2);
  await world.service.query('select svc.ensure_partitions($1, $2, coalesce($3, now()))', [1, 3, null]);
  const { rows } = await world.service.query<{ month: Date }>('select svc.oldest_stray_month() as month');
  await world.service.query('select svc.ensure_partitions($1, $2, coalesce($3, now()))', [0, 0, rows[0]?.month]);
  expect(await homesOf(world)).toEqual([dayOf('events', stray)]);
  const report = await world.service.query(
    'select table_name, months_ahead, has_stray_rows, expired from svc.report_partitions()',
  );
  expect(report.rows).toEqual([{ table_name: 'events', months_ahead: 1, has_stray_rows: false, expired: 0 }]);
});

test('what is surely kept begins with a month where months are, and with a day where days are', async () => {
  const world = await openRetention();
  await world.pool.query('update svc.partitioned_tables set months_kept = 3');
  const firstKept = async () => {
    const { rows } = await world.pool.query<{ first: Date; today: Date }>(
      `select svc.first_kept(item) as first,
         (date_trunc('day', now() at time zone 'UTC') - interval '3 months') at time zone 'UTC' as today
       from svc.partitioned_tables item`,
    );
    return rows[0];
  };
  const { first: ofMonths, today } = (await firstKept()) ?? {};
  const month = new Date(today ?? 0);
  expect(ofMonths?.getTime()).toBe(Date.UTC(month.getUTCFullYear(), month.getUTCMonth()));
  await world.cutInto('day');
  expect((await firstKept())?.first).toEqual(today);
  // The month of that time is there as a whole.
  await world.cutInto('month');
  await world.makeMonth(today?.getTime() ?? 0);
  await world.cutInto('day');
  expect((await firstKept())?.first).toEqual(ofMonths);
  expect((await world.pool.query('select from svc.list_expired_partitions()')).rowCount).toBe(0);
});

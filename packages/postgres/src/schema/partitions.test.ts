import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idAt } from '../testing/id-at.ts';
import { createTestDatabase } from '../testing/index.ts';
import { insertRow, insertRows } from '../testing/sample-rows.ts';

const { pool } = await createTestDatabase();

const partitionsOf = async (table: string) => {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on oid = inhrelid
     where inhparent = $1::regclass order by relname`,
    [`svc.${table}`],
  );
  return rows.map(({ name }) => name);
};

const homeOf = async (table: string, id: string) => {
  const { rows } = await pool.query<{ home: string }>(
    `select tableoid::regclass::text as home from svc.${table} where id = $1`,
    [id],
  );
  return rows.map(({ home }) => home);
};

test('a bound is the first id of its millisecond, as the ids themselves write time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 253_402_300_799_999 }), { minLength: 1, maxLength: 200 }),
      async (times) => {
        const { rows } = await pool.query<{ bound: string }>(
          `select svc.id_bound('pi', at) as bound
           from unnest($1::timestamptz[]) with ordinality as drawn (at, place) order by place`,
          [times.map((ms) => new Date(ms).toISOString())],
        );
        expect(rows.map(({ bound }) => bound)).toEqual(times.map((ms) => idAt('pi', ms).slice(0, 13)));
      },
    ),
    { numRuns: 20 },
  );
});

test('asking again for the same months creates nothing', async () => {
  const ask = () => pool.query("select svc.ensure_partitions(1, 2, '2030-01-31T23:59:59.999Z')");
  expect((await ask()).rowCount).toBeGreaterThan(0);
  expect((await ask()).rowCount).toBe(0);
  expect(await partitionsOf('intents')).toEqual(
    expect.arrayContaining(['intents_2029_12', 'intents_2030_01', 'intents_2030_02', 'intents_2030_03']),
  );
});

test('the last millisecond of a month and the first of the next are neighbours in two partitions', async () => {
  await pool.query("select svc.ensure_partitions(0, 1, '2031-02-10Z')");
  const last = idAt('pi', Date.UTC(2031, 2, 1) - 1, 'zzzzzzzzzzzzzzzz');
  const first = idAt('pi', Date.UTC(2031, 2, 1));
  await insertRows(pool, 'intents', [{ id: last }, { id: first }]);
  expect(await homeOf('intents', last)).toEqual(['svc.intents_2031_02']);
  expect(await homeOf('intents', first)).toEqual(['svc.intents_2031_03']);
});

test('a month does not depend on the time zone of whoever asks', async () => {
  const client = await pool.connect();
  try {
    await client.query("set timezone = 'Pacific/Auckland'");
    await client.query("select svc.ensure_partitions(0, 0, '2032-05-31T23:00:00Z')");
  } finally {
    client.release(true);
  }
  expect(await partitionsOf('payments')).toContain('payments_2032_05');
  const id = idAt('pay', Date.UTC(2032, 4, 1));
  await insertRow(pool, 'payments', { id });
  expect(await homeOf('payments', id)).toEqual(['svc.payments_2032_05']);
});

test('a row of a month without partition is kept, and moves when its month gets one', async () => {
  const intent = idAt('pi', Date.UTC(2040, 6, 4));
  const record = idAt('aud', Date.UTC(2040, 6, 4));
  await insertRow(pool, 'intents', { id: intent });
  await insertRow(pool, 'audit', { id: record });
  expect(await homeOf('intents', intent)).toEqual(['svc.intents_default']);
  await pool.query("select svc.ensure_partitions(0, 0, '2040-07-20Z')");
  expect(await homeOf('intents', intent)).toEqual(['svc.intents_2040_07']);
  expect(await homeOf('audit', record)).toEqual(['svc.audit_2040_07']);
  await expect(pool.query('delete from svc.audit where id = $1', [record])).rejects.toThrow('append-only');
});

test.each(['intents', 'payments', 'events', 'ledger_entry_rows'])(
  'a lookup by id in %s reads one partition',
  async (table) => {
    await pool.query("select svc.ensure_partitions(6, 6, '2033-06-15Z')");
    const prefix = { intents: 'pi', payments: 'pay', events: 'evt', ledger_entry_rows: 'lg' }[table] ?? '';
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: unknown }] }>(
      `explain (format json) select * from svc.${table}
       where account_id = 'acct_a' and mode = 'live' and id = '${idAt(prefix, Date.UTC(2033, 5, 15))}'`,
    );
    const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
    expect(plan.match(/"Relation Name":"[^"]*"/g)).toEqual([`"Relation Name":"${table}_2033_06"`]);
    expect(plan).toMatch(/"Node Type":"(Index|Bitmap)/);
  },
);

test.each([
  ['claims', "claim_key = '\\x0101010101010101010101010101010101010101010101010101010101010101'"],
  ['intent_codes', 'intent_code = 7'],
  ['late_terms', 'intent_code = 7'],
])('a lookup by key in %s reads one partition', async (table, condition) => {
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
    `explain (costs off) select * from svc.${table} where ${condition}`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan.match(/ on \w+/g)).toHaveLength(1);
  expect(plan).toMatch(/^Index Scan/);
});

test.each([
  ['a network', "network = 'eip155:1'"],
  ['an account', "account_id = 'acct_a' and mode = 'live'"],
  ['a payer', "network = 'eip155:1' and payer = '0x11'"],
])('what %s lost within an hour or a day is read by an index, from the months of that time alone', async (_, whose) => {
  await pool.query("select svc.ensure_partitions(1, 1, '2034-06-15Z')");
  const client = await pool.connect();
  try {
    // The planner would choose a sequential scan for a small table.
    await client.query('set enable_seqscan = off');
    for (const since of ['2034-06-15T11:00:00Z', '2034-06-14T12:00:00Z']) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (costs off) select sum(amount) from svc.gas_losses
         where ${whose} and id >= svc.id_bound('lg', '${since}') and id < svc.id_bound('lg', '2034-06-15T12:00:00Z')`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan.match(/ on gas_losses_\w+/g)).toEqual([' on gas_losses_2034_06']);
      expect(plan).toMatch(/Index/);
      expect(plan).not.toMatch(/Filter/);
    }
  } finally {
    client.release(true);
  }
});

test('a partition has the indexes, checks and triggers of its table', async () => {
  const { rows } = await pool.query(`
    select parent.relname, child.relname as partition from svc.partitioned_tables
    join pg_class parent on parent.oid = format('svc.%I', table_name)::regclass
    join pg_inherits on inhparent = parent.oid join pg_class child on child.oid = inhrelid
    where (select count(*) from pg_index where indrelid = parent.oid)
            <> (select count(*) from pg_index where indrelid = child.oid)
       or (select count(*) from pg_constraint where conrelid = parent.oid)
            <> (select count(*) from pg_constraint where conrelid = child.oid)
       or (select count(*) from pg_trigger where tgrelid = parent.oid and tgtype & 1 = 1)
            <> (select count(*) from pg_trigger where tgrelid = child.oid and tgtype & 1 = 1)`);
  expect(rows).toEqual([]);
});

test('expired months are listed, and no other', async () => {
  const { pool: own } = await createTestDatabase();
  const monthsAgo = (months: number) =>
    own.query(`select svc.ensure_partitions(0, 0, now() - interval '${months} months')`);
  await monthsAgo(3);
  await monthsAgo(4);
  const listed = async () =>
    (await own.query<{ table_name: string }>('select * from svc.list_expired_partitions()')).rows.map(
      ({ table_name }) => table_name,
    );
  // Three months are kept besides the current one.
  expect(await listed()).toEqual(['attempts', 'delivery_attempts']);
  await own.query("update svc.partitioned_tables set months_kept = 2 where table_name = 'events'");
  expect(await listed()).toEqual(['attempts', 'delivery_attempts', 'events', 'events']);
});

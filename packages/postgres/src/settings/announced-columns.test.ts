// Every column that a cached answer is made of is announced when it changes.
import type { Caller } from '@svc-pay/core';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase, insertRow, seedMerchant, whileUncommitted } from '../testing/index.ts';
import { type CachedSettings, createCachedSettings } from './cached-settings.ts';
import { readChanges } from './read-changes.ts';

const { pool } = await createTestDatabase();
const caller = await seedMerchant(pool);
const { accountId } = caller;
const tenant = { account_id: accountId, mode: caller.mode };
const index = Buffer.alloc(32, 9);

/** Each cached read, as it is called. */
const CALLS: { readonly [Name in keyof CachedSettings]: (settings: CachedSettings, by: Caller) => Promise<unknown>[] } =
  {
    findKey: ({ findKey }) => [findKey([index]), findKey([index, Buffer.alloc(32, 8)])],
    loadMerchant: ({ loadMerchant }, by) => [loadMerchant(by)],
    findAccountStatus: ({ findAccountStatus }, by) => [findAccountStatus(by.accountId)],
    findAccountName: ({ findAccountName }, by) => [findAccountName(by.accountId)],
  };

/** The statements that all cached reads send. */
async function cachedStatements(): Promise<readonly string[]> {
  const sent: string[] = [];
  const listening = new Proxy(pool, {
    get: (target, name) =>
      name === 'query'
        ? (query: pg.QueryConfig) => {
            sent.push(query.text);
            return target.query(query);
          }
        : Reflect.get(target, name),
  });
  const settings = createCachedSettings(listening, undefined);
  expect(Object.keys(settings).toSorted()).toEqual(Object.keys(CALLS).toSorted());
  for (const calls of Object.values(CALLS)) {
    const before = sent.length;
    await Promise.all(calls(settings, caller));
    expect(sent.length).toBeGreaterThan(before);
  }
  return sent;
}

/** Tables and columns that a statement depends on, from the catalog's record of a view with its text. */
async function columnsOf(statement: string): Promise<readonly string[]> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`create temp view reading as select exists (${statement.replaceAll(/\$\d+/g, 'null')})`);
    const { rows } = await client.query<{ name: string }>(
      `select distinct coalesce(used.relname || '.' || attribute.attname, proc.proname, used.relname) as name
       from pg_depend part
       join pg_rewrite rule on rule.oid = part.objid and part.classid = 'pg_rewrite'::regclass
       left join pg_class used on part.refclassid = 'pg_class'::regclass and used.oid = part.refobjid
       left join pg_attribute attribute
         on attribute.attrelid = used.oid and attribute.attnum = part.refobjsubid and part.refobjsubid > 0
       left join pg_proc proc on part.refclassid = 'pg_proc'::regclass and proc.oid = part.refobjid
       where rule.ev_class = 'reading'::regclass and used.oid is distinct from rule.ev_class
         and (part.refobjsubid > 0 or proc.oid is not null or used.relkind <> 'r')`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const ROW_AFTER_ALL = 1 + 4 + 8 + 16;

/** Columns whose change a deferred trigger announces, of tables whose inserts and deletes it announces too. */
async function announcedColumns(): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select used.relname || '.' || attribute.attname as name
     from pg_trigger announcer
     join pg_class used on used.oid = announcer.tgrelid
     join pg_attribute attribute on attribute.attrelid = used.oid and attribute.attnum = any (announcer.tgattr)
     where announcer.tgfoid = 'svc.announce_settings'::regproc and announcer.tgtype = $1
       and announcer.tginitdeferred and announcer.tgenabled = 'O' and announcer.tgqual is null`,
    [ROW_AFTER_ALL],
  );
  return rows.map(({ name }) => name);
}

const read = [...new Set((await Promise.all((await cachedStatements()).map(columnsOf))).flat())].toSorted();
const version = async () => (await readChanges(pool, undefined)).version;
const bareAccount = async (id: string) => {
  await insertRow(pool, 'accounts', { id });
  await insertRow(pool, 'account_modes', { account_id: id });
};

test('the columns of cached answers and the columns that are announced are the same', async () => {
  expect(read).toContain('api_keys.revoked_at');
  expect(read).toContain('payouts.fee_bps');
  expect((await announcedColumns()).toSorted()).toEqual(read);
});

await insertRow(pool, 'api_keys', { ...tenant, lookup: index });
await insertRow(pool, 'metadata_keys', tenant);
await pool.query('insert into svc.x402_processor_sellers (account_id, mode, created_at) values ($1, $2, now())', [
  accountId,
  caller.mode,
]);
await pool.query(
  `insert into svc.reader_cursors (network, address, kind, block_number, block_hash, block_time, updated_at)
   values ('eip155:84532', '0x1', 'token', 1, '0x2', 3, now())`,
);
await bareAccount('acct_other');

test.each(read)('a write of %s announces its account and no other', async (name) => {
  const [table = '', column = ''] = name.split('.');
  const before = await version();
  const owner = { accounts: `where id = '${accountId}'`, reader_cursors: '' }[table];
  // A key that others refer to is not free to change; the same value counts as written.
  const where = owner ?? `where account_id = '${accountId}'`;
  expect((await pool.query(`update svc.${table} set ${column} = ${column} ${where}`)).rowCount).toBeGreaterThan(0);
  const changed = [table === 'reader_cursors' ? '*' : accountId];
  expect(await readChanges(pool, before)).toEqual({ version: before + 1, changed });
});

test('a write of nothing that is cached announces nothing', async () => {
  const before = await version();
  await pool.query('update svc.api_keys set last_used_at = now(), signing = false');
  await pool.query('update svc.reader_cursors set block_number = 5, updated_at = now()');
  expect(await version()).toBe(before);
});

test('a change that is rolled back announces nothing, and a transaction of many rows has one version', async () => {
  const before = await version();
  const client = await pool.connect();
  await client.query('begin');
  await client.query('update svc.api_keys set revoked_at = now()');
  await client.query('set constraints all immediate');
  await client.query('rollback');
  expect(await version()).toBe(before);
  await client.query('begin');
  await client.query(`insert into svc.account_tokens
    select '${accountId}', 'live', 'token_' || number, now() from generate_series(1, 2000) as number`);
  await client.query("update svc.accounts set name = 'Another' where id = 'acct_other'");
  await client.query('commit');
  client.release();
  const { changed, ...now } = await readChanges(pool, before);
  expect([now, changed.toSorted()]).toEqual([{ version: before + 1 }, [accountId, 'acct_other'].toSorted()]);
});

test('versions commit in their order: who has seen one has seen all below it', async () => {
  const before = await version();
  const rename = (id: string) => pool.query("update svc.accounts set name = name || '!' where id = $1", [id]);
  const client = await pool.connect();
  await client.query('begin');
  await client.query("update svc.accounts set name = 'First' where id = $1", [accountId]);
  // Takes its version, as its commit would.
  await client.query('set constraints all immediate');
  const second = rename('acct_other');
  await expect
    .poll(async () => {
      // The server has the databases of other tests too.
      const { rows } = await pool.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      return rows.length;
    })
    .toBe(1);
  expect(await readChanges(pool, before)).toEqual({ version: before, changed: [] });
  await client.query('commit');
  client.release();
  await second;
  expect(await readChanges(pool, before)).toEqual({ version: before + 2, changed: [accountId, 'acct_other'] });
});

test('who follows versions while accounts change hears of every change', async () => {
  const mark = 'acct_followed_';
  await pool.query(
    `insert into svc.accounts (id, name, status, api_version, created_at)
     select $1 || number, 'Followed', status, api_version, created_at
     from svc.accounts, generate_series(1, 400) as number where id = 'acct_other'`,
    [mark],
  );
  const heard = new Set<string>();
  let known = await version();
  const look = async () => {
    const { version: seen, changed } = await readChanges(pool, known);
    for (const id of changed) heard.add(id);
    known = seen;
  };
  // Each account changes once: nobody tells of it again.
  const writing = { next: 1, writers: 6 };
  const write = async () => {
    while (writing.next <= 400)
      await pool.query("update svc.accounts set name = 'Changed' where id = $1", [`${mark}${writing.next++}`]);
    writing.writers -= 1;
  };
  const written = Promise.all(Array.from({ length: writing.writers }, write));
  while (writing.writers > 0) await look();
  await written;
  await look();
  const missed = Array.from({ length: 400 }, (_, index) => `${mark}${index + 1}`).filter((id) => !heard.has(id));
  expect(missed).toEqual([]);
});

test('transactions that write settings of two accounts wait for each other only for rows that both write', async () => {
  const client = await pool.connect();
  await client.query('begin');
  await client.query("update svc.account_modes set minimum_usd_micros = 1 where account_id = 'acct_other'");
  const written = await whileUncommitted(
    pool,
    ["update svc.accounts set name = 'Held' where id = $1", accountId],
    // With the version locked at the first write, this one and the other transaction would wait for each other.
    () => client.query("update svc.accounts set name = 'After' where id = $1", [accountId]),
  );
  await client.query('commit');
  client.release();
  expect(written.rowCount).toBe(1);
});

import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { insertRow, insertRows, SAMPLES } from '../testing/sample-rows.ts';

const { pool, url } = await createTestDatabase();

test('entries are booked in balance, per payment and asset, or not at all', async () => {
  const entry = (id: string, amount: string, more = {}) => ({ id: `lg_${id}`, amount, ...more });
  await insertRows(pool, 'ledger_entries', [entry('1', '-100'), entry('2', '97'), entry('3', '3')]);
  const wrong = [
    [entry('4', '-100')],
    [entry('5', '-100'), entry('6', '99')],
    [entry('7', '-100'), entry('8', '100', { asset: '0xother' })],
    [entry('9', '-100'), entry('10', '100', { payment_id: 'pay_other' })],
  ];
  for (const rows of wrong) {
    await expect(insertRows(pool, 'ledger_entries', rows)).rejects.toMatchObject({ constraint: 'entries_balance' });
  }
  expect((await pool.query('select count(*)::integer as n from svc.ledger_entries')).rows).toEqual([{ n: 3 }]);
});

test.each<[string, Record<string, unknown>]>([
  ['amounts that do not sum to zero', { amounts: '{-5,4}' }],
  ['amounts that sum to zero over two assets', { assets: '{x,y}' }],
  ['an amount of nothing', { amounts: '{0,0}' }],
  ['half a unit', { amounts: '{-0.5,0.5}' }],
  ['an amount too few', { amounts: '{5}' }],
  ['a party too many', { parties: '{p,m,q}' }],
  ['an asset too few', { assets: '{x}' }],
  ['an account too few', { account_names: '{payer}' }],
  ['an account that is none', { account_names: '{payer,nobody}' }],
  ['a log too few', { log_indexes: '{1}' }],
  ['a reversal too few', { reverses: '{lg_0}' }],
  ['transactions of some entries', { entry_ids: '{lg_1,lg_2,lg_3}', transaction_ids: '{0xa,0xb}' }],
  ['an amount that is null', { amounts: '{-5,null}' }],
  ['a party that is null', { parties: '{p,null}' }],
  ['an asset that is null', { assets: '{x,null}' }],
  ['a transaction that is null', { transaction_ids: '{null}' }],
  ['an id that is null', { entry_ids: '{lg_1,null}' }],
  ['amounts without parties', { parties: null }],
  ['amounts without a network', { network: null }],
  ['amounts without a time', { created_at: null }],
  ['parties without amounts', { amounts: null }],
  ['the id of another booking', { id: 'lg_2' }],
])('a booking refuses %s, also of the owner with triggers off', async (_, change) => {
  const sound = {
    account_id: 'acct_guarded',
    mode: 'test',
    position: 1,
    id: 'lg_1',
    payment_id: 'pay_1',
    entry_ids: '{lg_1,lg_2}',
    network: 'eip155:84532',
    created_at: new Date(),
    account_names: '{payer,merchant}',
    parties: '{p,m}',
    assets: '{x,x}',
    amounts: '{-5,5}',
    transaction_ids: '{0xa}',
    log_indexes: '{1,1}',
    reverses: null,
  };
  const client = await pool.connect();
  const insert = (row: Record<string, unknown>) =>
    client.query(
      `insert into svc.ledger_bookings (${Object.keys(row).join()}) values (${Object.keys(row)
        .map((_, at) => `$${at + 1}`)
        .join()})`,
      Object.values(row),
    );
  try {
    await client.query(`begin; set local session_replication_role = 'replica'; savepoint before`);
    await expect(insert({ ...sound, ...change })).rejects.toMatchObject({ code: '23514' });
    await client.query('rollback to before');
    await insert(sound);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('an audit record is sealed once and otherwise stays as it was written', async () => {
  await insertRow(pool, 'audit');
  const refused = { constraint: 'audit_append_only' };
  const seal = "update svc.audit set sequence = 1, previous_hash = sha256(''), hash = sha256('1')";
  await expect(pool.query("update svc.audit set actor = 'nobody'")).rejects.toMatchObject(refused);
  await expect(pool.query(`${seal}, detail = '{"a":1}'`)).rejects.toMatchObject(refused);
  await pool.query(seal);
  await expect(pool.query(seal)).rejects.toMatchObject(refused);
  await expect(pool.query('delete from svc.audit')).rejects.toMatchObject(refused);
  await expect(pool.query('truncate svc.audit')).rejects.toMatchObject(refused);
});

test('an intent that ends wakes its waiters at commit; one that begins to process does not', async () => {
  const listener = new pg.Client({ connectionString: url });
  await listener.connect();
  try {
    const heard: (string | undefined)[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload));
    await listener.query('listen svc_intent');
    await insertRow(pool, 'intents');
    await pool.query("update svc.intents set status = 'processing'");
    await pool.query("update svc.intents set description = 'another'");
    await listener.query('select 1');
    expect(heard).toEqual([]);
    await pool.query("update svc.intents set status = 'requires_payment'");
    await pool.query("update svc.intents set status = 'canceled'");
    await listener.query('select 1');
    expect(heard).toEqual([SAMPLES.intents.id, SAMPLES.intents.id]);
  } finally {
    await listener.end();
  }
});

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

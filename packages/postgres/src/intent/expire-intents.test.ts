import { isPayable } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { idAt } from '../testing/id-at.ts';
import { newAccount, newOperation, OPERATION_MS } from '../testing/new-operation.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { expireIntent, expireIntents, loadOverdueIntents } from './expire-intents.ts';

const TIMES = [OPERATION_MS - 1, OPERATION_MS, OPERATION_MS + 1];

async function unpaidIntents() {
  const { pool } = await createTestDatabase();
  const { id: account_id } = await newAccount(newOperation(pool));
  for (const [index, expiresAtMs] of TIMES.entries()) {
    for (const [step, status] of ['requires_payment', 'processing'].entries()) {
      const intent_code = 10 + 2 * index + step;
      const id = idAt('pi', OPERATION_MS, String(intent_code));
      await insertRow(pool, 'intents', { account_id, id, intent_code, status, expires_at: new Date(expiresAtMs) });
    }
  }
  const statuses = async () =>
    (await pool.query<{ status: string }>('select status from svc.intents order by intent_code')).rows.map(
      ({ status }) => status,
    );
  return { pool, statuses };
}

/** What must become of the intents, by the rule of core: unpaid ones that are not payable any more are canceled. */
const EXPECTED = TIMES.flatMap((expiresAtMs) => [
  isPayable({ status: 'requires_payment', expiresAtMs }, OPERATION_MS) ? 'requires_payment' : 'canceled',
  'processing',
]);

test('exactly the unpaid intents that are not payable any more expire, at the same millisecond', async () => {
  const { pool, statuses } = await unpaidIntents();
  expect(await expireIntents(pool, OPERATION_MS, 10)).toBe(2);
  expect(await statuses()).toEqual(EXPECTED);
});

test.each(['together', 'one by one'])(
  'an endpoint that asks for it is told of each intent that expires, %s; other accounts get no event',
  async (way) => {
    const { pool, statuses } = await unpaidIntents();
    await pool.query('update svc.intents set event_sequence = 1');
    const expire = async () => {
      if (way === 'together') return expireIntents(pool, OPERATION_MS, 10);
      for (const one of await loadOverdueIntents(pool, OPERATION_MS, undefined, 10))
        await expireIntent(pool, one, OPERATION_MS);
      return 0;
    };
    const { rows } = await pool.query<{ account_id: string }>('select distinct account_id from svc.intents');
    const { id: other } = await newAccount(newOperation(pool));
    const id = idAt('pi', OPERATION_MS, '99');
    const expires_at = new Date(OPERATION_MS);
    await insertRow(pool, 'intents', {
      account_id: other,
      id,
      intent_code: 99,
      status: 'requires_payment',
      expires_at,
    });
    await insertRow(pool, 'endpoints', {
      account_id: rows[0]?.account_id,
      id: idAt('we', OPERATION_MS, '1'),
      event_types: ['payment_intent.canceled'],
    });
    await insertRow(pool, 'endpoints', { account_id: other, id: idAt('we', OPERATION_MS, '2') });
    await expire();
    expect((await statuses()).slice(0, -1)).toEqual(EXPECTED);
    const events = await pool.query<{ type: string; sequence: number; status: string; told: number }>(`
      select e.type, e.sequence, convert_from(e.body, 'UTF8')::jsonb #>> '{data,object,status}' as status,
        (select count(*)::integer from svc.deliveries d where d.event_id = e.id) as told
      from svc.events e join svc.intents i on i.id = e.intent_id and i.event_sequence = e.sequence`);
    const event = { type: 'payment_intent.canceled', sequence: 2, status: 'canceled', told: 1 };
    expect(events.rows).toEqual([event, event]);
    const untold = await pool.query('select from svc.events where account_id = $1', [other]);
    expect(untold.rowCount).toBe(0);
  },
);

test('one by one the same intents expire', async () => {
  const { pool, statuses } = await unpaidIntents();
  for (const overdue of await loadOverdueIntents(pool, OPERATION_MS + 1, undefined, 10)) {
    await expireIntent(pool, overdue, OPERATION_MS);
  }
  expect(await statuses()).toEqual(EXPECTED);
});

test.each([
  ['a pay() with its code', { event: 'payment_received', log: { intentCode: '10' } }],
  [
    'a bound nonce of its code',
    { event: 'authorization_used', log: { nonce: `0x7376636469720000${'a'.padStart(16, '0')}${'0'.repeat(32)}` } },
  ],
])('an intent that was paid does not expire while %s waits to be final', async (_, { event, log }) => {
  const { pool, statuses } = await unpaidIntents();
  const insert = `insert into svc.read_logs
    (network, transaction_id, log_index, address, block_number, block_hash, event, log, created_at)
    values ('eip155:84532', '0x01', 1, '0xaa', 1, '0xbb', $1, $2, now())`;
  await pool.query(insert, [event, JSON.stringify(log)]);
  expect(await expireIntents(pool, OPERATION_MS, 10)).toBe(1);
  expect((await statuses())[0]).toBe('requires_payment');
  await pool.query('delete from svc.read_logs');
  expect(await expireIntents(pool, OPERATION_MS, 10)).toBe(1);
  expect(await statuses()).toEqual(EXPECTED);
});

test.each([
  ['its processor', 'processor', '0xaa', true],
  ['its token, to which a direct acceptance has no nearer source', 'token', '0xbb', true],
  ['another source', 'token', '0xcc', false],
])('an intent does not expire while %s is not read to its end', async (_, kind, address, keeps) => {
  const { pool, statuses } = await unpaidIntents();
  const { rows } = await pool.query<{ account_id: string; id: string }>(
    'select account_id, id from svc.intents order by intent_code limit 1',
  );
  const [intent] = rows;
  await insertRow(pool, 'acceptances', {
    account_id: intent?.account_id,
    intent_id: intent?.id,
    pay_to: '0xAA',
    asset: '0xBB',
  });
  const expirySeconds = (TIMES[0] ?? 0) / 1_000;
  const network = (await pool.query('select network from svc.acceptances')).rows[0]?.network;
  const move = (blockTime: number, atMs: number) =>
    pool.query(
      `insert into svc.reader_cursors (network, address, kind, block_number, block_hash, block_time, updated_at)
       values ($1, $2, $3, 1, '0x', $4, $5)
       on conflict (network, address) do update set block_time = $4, updated_at = $5`,
      [network, address, kind, Math.floor(blockTime), new Date(atMs)],
    );
  await move(expirySeconds - 1, OPERATION_MS - 1_000);
  expect(await expireIntents(pool, OPERATION_MS, 10)).toBe(keeps ? 1 : 2);
  expect((await statuses())[0]).toBe(keeps ? 'requires_payment' : 'canceled');
  if (!keeps) return;
  await move(expirySeconds + 1, OPERATION_MS);
  expect(await expireIntents(pool, OPERATION_MS, 10)).toBe(1);
  expect(await statuses()).toEqual(EXPECTED);
});

test('a reader that stands still keeps no intent open', async () => {
  const { pool, statuses } = await unpaidIntents();
  const { rows } = await pool.query<{ account_id: string; id: string }>(
    'select account_id, id from svc.intents order by intent_code limit 1',
  );
  await insertRow(pool, 'acceptances', { account_id: rows[0]?.account_id, intent_id: rows[0]?.id, pay_to: '0xAA' });
  await pool.query(
    `insert into svc.reader_cursors (network, address, kind, block_number, block_hash, block_time, updated_at)
     select network, '0xaa', 'processor', 1, '0x', 5, $1 from svc.acceptances`,
    [new Date(OPERATION_MS - 3_600_000)],
  );
  expect(await expireIntents(pool, OPERATION_MS, 10)).toBe(2);
  expect(await statuses()).toEqual(EXPECTED);
});

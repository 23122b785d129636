import pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { idAt } from '../testing/id-at.ts';
import { createTestDatabase } from '../testing/index.ts';
import { insertRow, NOW, SAMPLES } from '../testing/sample-rows.ts';

const { pool, url } = await createTestDatabase();
const intent = SAMPLES.intents.id;
const first = idAt('pay', NOW.getTime(), '1');
// A payment months later, in another partition.
const second = idAt('pay', NOW.getTime() + 90 * 86_400_000, '2');

beforeEach(async () => {
  await pool.query('truncate svc.intents, svc.payments');
  await insertRow(pool, 'intents', { status: 'processing', payment_id: first });
  await insertRow(pool, 'payments', { id: first });
  await insertRow(pool, 'payments', { id: second });
});

const complete = (id: string) =>
  `update svc.payments set status = 'completed', paid_amount = 1, completed_at = now() where id = '${id}'`;
const fail = (id: string) => `update svc.payments set status = 'failed', failure_code = 'reverted' where id = '${id}'`;
const name = (id: string) => `update svc.intents set payment_id = '${id}' where id = '${intent}'`;
const together = (...statements: string[]) => pool.query(statements.join(';'));
const refused = { constraint: 'one_success_per_intent' };

test('the payment that its intent names completes', async () => {
  await together(complete(first));
});

test('a payment that its intent does not name never completes', async () => {
  await expect(together(complete(second))).rejects.toMatchObject(refused);
});

test('a second payment takes the place of a failed one, in any order of statements', async () => {
  await together(complete(second), name(second), fail(first));
});

test.each([
  ['pending', ''],
  ['completed', complete(first)],
])('a payment that is %s is not replaced', async (_, before) => {
  if (before !== '') await together(before);
  await expect(together(name(second), complete(second))).rejects.toMatchObject(refused);
});

test('a refunded payment is not replaced', async () => {
  await together(complete(first));
  await together(`update svc.payments set status = 'refunded' where id = '${first}'`);
  await expect(together(name(second), complete(second))).rejects.toMatchObject(refused);
});

test('of two transactions that meet, one completing and one giving up the same payment, one is refused', async () => {
  for (const order of [
    [complete(first), name(second)],
    [name(second), complete(first)],
  ]) {
    await together(`update svc.payments set status = 'mismatched' where id = '${first}'`);
    const clients = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
    await Promise.all(clients.map((client) => client.connect()));
    try {
      await Promise.all(clients.map((client) => client.query('begin')));
      await Promise.all(clients.map((client, index) => client.query(order[index] ?? '')));
      const outcomes = await Promise.allSettled(clients.map((client) => client.query('commit')));
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
    await pool.query('truncate svc.intents, svc.payments');
    await insertRow(pool, 'intents', { status: 'processing', payment_id: first });
    await insertRow(pool, 'payments', { id: first });
    await insertRow(pool, 'payments', { id: second });
  }
});

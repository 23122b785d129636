import { expect, test } from 'vitest';
import { inTransaction } from '../database/in-transaction.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld } from '../testing/lane-world.ts';
import { failPayments } from './payment-results.ts';
import { writePaymentResults } from './write-payment-results.ts';

const LOOK = `
  select p.id, p.status, p.failure_code, s.status as settlement, i.status as intent, i.version, i.event_sequence,
    (select count(*)::integer from svc.events) as events
  from svc.payments p join svc.settlements s on s.payment_id = p.id join svc.intents i on i.id = p.intent_id
  order by p.id`;

test.each([
  ['the intent', 'update svc.intents set version = version + 1 where payment_id = $1'],
  ['the payment', "update svc.payments set status = 'canceled' where id = $1"],
  ['the settlement', "update svc.settlements set status = 'canceled' where payment_id = $1"],
])('payments end only as they were read: %s of one has changed, and nothing is written', async (_, change) => {
  const lane = await createLaneWorld((await createTestDatabase()).pool);
  await lane.queue(2);
  const items = await lane.store.loadQueue(await lane.takeLease(), { index: 0, count: 1 }, 2);
  const before = (await lane.pool.query(LOOK)).rows;
  const cause = { requestId: 'bat_test', nowMs: Date.now() };
  await expect(
    inTransaction(lane.pool, async (client) => {
      const deps = items.map((item) => ({ item, code: 'insufficient_funds' as const }));
      const results = await failPayments(client, deps, null, cause);
      await client.query(change, [items[1]?.paymentId]);
      await writePaymentResults(client, results, 'queued', cause.nowMs);
    }),
  ).rejects.toThrow('the rows have changed');
  expect((await lane.pool.query(LOOK)).rows).toEqual(before);
});

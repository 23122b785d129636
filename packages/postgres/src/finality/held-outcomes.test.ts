import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld, type LaneWorld } from '../testing/lane-world.ts';
import { loadAgeingBatches, recordFinal } from './finalize-batches.ts';

const world = async () => createLaneWorld((await createTestDatabase()).pool);

async function stateOf({ pool }: LaneWorld, paymentId: string) {
  const { rows } = await pool.query(
    `select p.status as payment, p.failure_code, s.status as settlement, i.status as intent
     from svc.payments p join svc.settlements s on s.payment_id = p.id join svc.intents i on i.id = p.intent_id
     where p.id = $1`,
    [paymentId],
  );
  return rows[0];
}

const HELD = { payment: 'pending', failure_code: null, settlement: 'held', intent: 'processing' };

test.each(['nothing_arrived', 'no_evidence'] as const)(
  'a payment that a final block shows as %s is held: not failed, not sent again, its intent not payable',
  async (outcome) => {
    const lane = await world();
    const [paymentId = ''] = await lane.queue(3);
    // Before finality only the fact that the payment did not settle is recorded.
    lane.chain.spoil(paymentId, 'nothing_arrived', 'mined');
    await lane.settle();
    const [batch] = await loadAgeingBatches(lane.pool, lane.lane.network, 1_000n, 10);
    expect(batch?.openItems.map((item) => item.paymentId)).toEqual([paymentId]);
    await recordFinal(lane.pool, batch!, [outcome], Date.now());
    expect(await stateOf(lane, paymentId)).toEqual(HELD);
    await lane.settle();
    expect(await stateOf(lane, paymentId)).toEqual(HELD);
    expect(lane.chain.minedTransactions()).toBe(1);
    expect(await lane.statuses()).toEqual({ completed: 2, pending: 1 });
  },
);

test('a payment of which the simulation says that nothing arrives is held unsent', async () => {
  const lane = await world();
  const [paymentId = ''] = await lane.queue(3);
  lane.chain.spoil(paymentId, 'nothing_arrived', 'simulated');
  await lane.settle();
  expect(await stateOf(lane, paymentId)).toEqual(HELD);
  expect(await lane.statuses()).toEqual({ completed: 2, pending: 1 });
});

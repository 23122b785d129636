import { laneRound } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { loadAgeingBatches, recordFinal } from '../finality/finalize-batches.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld } from '../testing/lane-world.ts';
import { queuePayment } from '../testing/queue-payment.ts';
import { createStrandedLaneStore } from './stranded-lane-store.ts';

test('a stranded transfer whose transaction reverts twice waits for a person instead of burning gas for ever', async () => {
  const lane = await createLaneWorld((await createTestDatabase()).pool);
  const { pool, chain, deps } = lane;
  const { paymentId, intentId } = await queuePayment(pool, lane.caller, { byContract: true });
  await pool.query("update svc.settlements set status = 'held'");
  await pool.query("update svc.relayers set duty = 'resolve_stranded'");
  await pool.query(
    `insert into svc.stranded_transfers (account_id, mode, claim_key, intent_id, payment_id, network, action, status,
       stranded_transaction_id, stranded_log_index, created_at, updated_at)
     select account_id, mode, claim_key, $2, $1, network, 'return', 'queued', '0x01', 0, now(), now()
     from svc.settlements where payment_id = $1`,
    [paymentId, intentId],
  );
  chain.revertAbove(0);
  const store = createStrandedLaneStore(pool, { clock: deps.clock, gasCoinRate: () => undefined });
  const lease = await lane.takeLease();
  const seen: unknown[] = [];
  for (let time = 0; time < 3; time += 1) {
    await laneRound({ ...deps, store }, lease);
    chain.mine();
    await laneRound({ ...deps, store }, lease);
    for (const batch of await loadAgeingBatches(pool, lane.lane.network, 10_000n, 10))
      await recordFinal(pool, batch, [], Date.now());
    seen.push((await pool.query('select status, reason from svc.stranded_transfers')).rows[0]);
  }
  expect(seen).toEqual([
    { status: 'queued', reason: 'reverted' },
    { status: 'blocked', reason: 'reverted' },
    { status: 'blocked', reason: 'reverted' },
  ]);
  expect(chain.minedTransactions()).toBe(2);
});

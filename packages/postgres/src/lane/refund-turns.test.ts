import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createRefundWorld, refundParties } from '../testing/refund-world.ts';
import { createLaneStore } from './lane-store.ts';
import { loadRefundQueue } from './refund-items.ts';

const ALL = { index: 0, count: 1 };

test('accounts take turns in the queue of refunds, and one with many refunds or a busy wallet delays no other', async () => {
  const { pool } = await createTestDatabase();
  const { network, relayer, wallet, nowMs } = refundParties;
  const lane = { network, relayer };
  const [many, one] = [createRefundWorld(pool), createRefundWorld(pool, 900n)];
  for (let made = 0; made < 5; made += 1) await many.submitted(await many.paid(), 400n);
  await one.submitted(await one.paid(), 400n);
  const [busy, other] = [many.owner.accountId, one.owner.accountId];
  const accountsOf = (items: readonly { readonly accountId: string }[]) => items.map(({ accountId }) => accountId);
  const lanes = createLaneStore(pool, { clock: { nowMs: () => nowMs }, gasCoinRate: () => undefined });
  expect(accountsOf(await lanes.loadRefundQueue(lane, ALL, 4)).toSorted()).toEqual([busy, other].toSorted());
  for (const lastAccount of [busy, other]) {
    const [next] = await loadRefundQueue(pool, lane, ALL, { limit: 1, nowMs, busyWallets: [], lastAccount });
    expect(next?.accountId).toBe(lastAccount === busy ? other : busy);
  }
  await pool.query('update svc.refunds set by_contract = true where account_id = $1', [busy]);
  expect(accountsOf(await lanes.loadRefundQueue(lane, ALL, 4, [wallet]))).toEqual([other]);
});

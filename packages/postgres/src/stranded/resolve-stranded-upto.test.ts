import { FIRST_AUTHORIZATION } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createPostgresHarness } from '../testing/store-harness.ts';

test('held money whose settlement another process has locked is not waited for, and is decided later', async () => {
  const harness = await createPostgresHarness();
  const { pool, stranded, network, nowMs } = harness;
  const intentId = await harness.confirmUpto();
  const [open] = await stranded.loadOpenAuthorizations(network, FIRST_AUTHORIZATION, 2n ** 62n, 9);
  if (open === undefined) throw new Error('not open');
  const position = { transactionId: '0xstranded', logIndex: 3 };
  await stranded.recordStranding({ ...open, network, item: null, position }, nowMs());
  const [money] = await stranded.loadHeldMoney(network, 0n, 9);
  if (money === undefined) throw new Error('not held');
  const paymentId = await harness.settleUpto(intentId, open.capAtomic);
  const lane = await pool.connect();
  try {
    await lane.query('begin');
    await lane.query('update svc.settlements set updated_at = updated_at where payment_id = $1', [paymentId]);
    // With the settlement, the lane wants the intent: a decision that waits would be a deadlock.
    const decided = stranded.decideHeldMoney(network, money, nowMs());
    await expect(decided).resolves.toBeUndefined();
    await lane.query('select from svc.intents where id = $1 for update', [intentId]);
    await lane.query('commit');
  } finally {
    lane.release();
  }
  expect(await stranded.decideHeldMoney(network, money, nowMs())).toEqual({ intentId, paymentId, action: 'settle' });
});

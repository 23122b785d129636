import { FIRST_AUTHORIZATION } from '@svc-pay/core';
import { applied, finalOf, receivedLog, testApplyStore, used } from '@svc-pay/core/testing/contracts';
import { expect, test } from 'vitest';
import { createApplyHarness } from '../testing/apply-harness.ts';

testApplyStore(createApplyHarness);

test('the event of a payment that was completed before logs were proofs is dropped too', async () => {
  const harness = await createApplyHarness();
  const { apply, network, pool } = harness;
  const intent = await harness.offer();
  const paid = receivedLog(intent);
  await harness.putLog(paid);
  expect((await apply.applyLog(network, finalOf(harness, paid), harness.nowMs())).outcome).toBe('completed');
  await pool.query('delete from svc.log_proofs');
  const log = { ...paid, event: 'payment_settled' as const };
  const other = { ...log, position: { ...log.position, logIndex: 1 } };
  for (const one of [log, other]) await harness.putLog(one);
  expect(await apply.dropRecorded(network, [log, other])).toEqual([other]);
});

test('a log of a payout that no bigint can name is not ours', async () => {
  const harness = await createApplyHarness();
  const intent = await harness.offer();
  const foreign = { intentCode: 999_999n, payoutId: 2n ** 64n };
  const answer = { outcome: 'ignored', reason: 'not_ours' };
  expect(await applied(harness, receivedLog(intent, foreign))).toEqual(answer);
  expect(await applied(harness, receivedLog(intent, { ...foreign, event: 'payment_settled' }))).toEqual(answer);
});

test('a refused authorization whose offer is gone is closed by its use', async () => {
  const harness = await createApplyHarness();
  const { pool, direct, network } = harness;
  const intent = await harness.offer({ use: 'exclusive' });
  const signed = await harness.refuse(intent);
  await pool.query('delete from svc.acceptances where intent_id = $1', [intent.intentId]);
  expect((await used(harness, intent, signed)).answer).toEqual({ outcome: 'ignored', reason: 'not_ours' });
  expect(await direct.loadOpenRefused(network, FIRST_AUTHORIZATION, 2n ** 62n, 9)).toEqual([]);
});

// Parts of an intent that arrive while another process writes its rows.
import type { AppliedLog } from '@svc-pay/core';
import { type OfferedIntent, receivedLog } from '@svc-pay/core/testing/contracts';
import { expect, test } from 'vitest';
import { expireIntents } from '../intent/expire-intents.ts';
import { applyLog, expectSound, read } from '../testing/apply-final.ts';
import { createApplyHarness, type PostgresApplyHarness } from '../testing/apply-harness.ts';

const ROUNDS = 10;

async function share(harness: PostgresApplyHarness, intent: OfferedIntent, percent: bigint) {
  const amountAtomic = (intent.acceptance.amount * percent) / 100n;
  return read(harness, receivedLog(intent, { amountAtomic, feeAtomic: amountAtomic / 100n }));
}

const outcomes = (applied: readonly AppliedLog[]) => applied.map(({ outcome }) => outcome).toSorted();

test('of parts that are applied at once one reaches the sum, and every part is counted', async () => {
  const harness = await createApplyHarness();
  for (let round = 0; round < ROUNDS; round += 1) {
    const intent = await harness.offer();
    const parts = [
      await share(harness, intent, 50n),
      await share(harness, intent, 30n),
      await share(harness, intent, 20n),
    ];
    const applied = await Promise.all(parts.map((final) => applyLog(harness, final)));
    expect(outcomes(applied)).toEqual(['completed', 'mismatched', 'mismatched']);
    const rows = (await harness.read()).payments.filter((one) => one.intent === intent.intentId);
    expect(rows.find(({ status }) => status === 'completed')).toMatchObject({
      paidTotal: intent.acceptance.amount,
      intentStatus: 'completed',
      named: true,
    });
  }
  await expectSound(harness);
});

test('a part and the claim of a header at once: the part counts or stands aside, the header settles', async () => {
  const harness = await createApplyHarness();
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const intent = await harness.offer();
    const part = await share(harness, intent, 40n);
    const [applied, claim] = await Promise.all([applyLog(harness, part), harness.claim(intent)]);
    expect(applied.outcome).toBe('mismatched');
    const { rows } = await harness.pool.query<{ status: string; payment_id: string; has_parts: boolean }>(
      'select status, payment_id, has_parts from svc.intents where id = $1',
      [intent.intentId],
    );
    expect(rows[0]).toMatchObject({ status: 'processing', payment_id: claim.paymentId });
    const reason = applied.outcome === 'mismatched' ? applied.reason : '';
    expect(rows[0]?.has_parts).toBe(reason === 'underpaid');
    seen.add(reason);
  }
  for (const reason of seen) expect(['underpaid', 'payment_under_way']).toContain(reason);
  await expectSound(harness);
});

test('a header that fails gives an intent with parts back as mismatched, and it expires as any other', async () => {
  const harness = await createApplyHarness();
  const { settling, lane, pool } = harness;
  const intent = await harness.offer();
  await applyLog(harness, await share(harness, intent, 40n));
  const { paymentId } = await harness.claim(intent);
  const lease = { ...lane, epoch: await settling.takeOver(lane) };
  const [item] = await settling.loadQueue(lane, { index: 0, count: 1 }, 9);
  expect(item?.paymentId).toBe(paymentId);
  if (item === undefined) throw new Error('nothing is queued');
  await settling.recordUnsent(lease, [{ item, outcome: 'insufficient_funds' }]);
  const statusOf = async () =>
    (await pool.query<{ status: string }>('select status from svc.intents where id = $1', [intent.intentId])).rows[0]
      ?.status;
  expect(await statusOf()).toBe('mismatched');
  expect(await expireIntents(pool, harness.nowMs(), 100)).toBe(0);
  await pool.query("update svc.intents set expires_at = now() - interval '1 minute' where id = $1", [intent.intentId]);
  expect(await expireIntents(pool, harness.nowMs(), 100)).toBe(1);
  expect(await statusOf()).toBe('canceled');
  const rows = (await harness.read()).payments.filter(({ status }) => status === 'mismatched');
  expect(rows).toHaveLength(1);
});

test('what is refunded, or is being refunded, of a part does not count', async () => {
  const harness = await createApplyHarness();
  const { pool } = harness;
  const intent = await harness.offer();
  const first = await applyLog(harness, await share(harness, intent, 40n));
  const paymentId = 'paymentId' in first ? first.paymentId : '';
  await pool.query(
    `insert into svc.refund_totals (account_id, mode, payment_id, paid, refunded, reserved)
     select account_id, mode, id, paid_amount, 100000, 50000 from svc.payments where id = $1`,
    [paymentId],
  );
  expect((await applyLog(harness, await share(harness, intent, 60n))).outcome).toBe('mismatched');
  expect((await applyLog(harness, await share(harness, intent, 10n))).outcome).toBe('completed');
  await expectSound(harness);
});

import { typesOf, used } from '@svc-pay/core/testing/contracts';
import { describe, expect, test } from 'vitest';
import { createApplyHarness, type PostgresApplyHarness } from '../testing/apply-harness.ts';
import { newOperation } from '../testing/new-operation.ts';
import { resolveHeld } from './resolve-held.ts';

/** A stranger submitted an unbound authorization of a shared wallet. */
async function heldIn(harness: PostgresApplyHarness) {
  const intent = await harness.offer({ use: 'shared' });
  const claim = await harness.claim(intent);
  const { log, answer } = await used(harness, intent, claim);
  expect(answer).toMatchObject({ outcome: 'held', reason: 'shared_wallet' });
  const { accountId, mode } = harness.caller;
  const held = { accountId, mode, paymentId: claim.paymentId };
  const operation = newOperation(harness.pool, harness.nowMs());
  return { intent, log, held, operation };
}

const paymentIn = async (harness: PostgresApplyHarness, id: string) =>
  (await harness.read()).payments.find((one) => one.id === id);
const auditIn = async ({ pool }: PostgresApplyHarness) =>
  (await pool.query("select actor, action, target from svc.audit where action like 'payment.%' order by id")).rows;

describe('a payment that is held for the merchant', () => {
  test('is completed by its receipt when the merchant accepts it: booked, told, audited, and proven once', async () => {
    const harness = await createApplyHarness();
    const { intent, log, held, operation } = await heldIn(harness);
    const transactionId = log.position.transactionId;
    expect(await resolveHeld(operation, held, 'accept')).toMatchObject({
      ok: true,
      intentId: intent.intentId,
      status: 'completed',
      transfer: { transactionId, reason: 'shared_wallet', amountAtomic: intent.acceptance.amount.toString() },
    });
    expect(await paymentIn(harness, held.paymentId)).toMatchObject({
      status: 'completed',
      settlement: 'completed',
      intentStatus: 'completed',
    });
    const logIndex = log.position.logIndex + 1;
    expect(await harness.proofs()).toEqual([
      { transaction: transactionId, logIndex, payment: held.paymentId, reason: null },
    ]);
    expect(typesOf(await harness.read(), intent.intentId).at(-1)).toBe('payment.completed');
    const { rows } = await harness.pool.query(
      'select foreign_transaction_id, held_for_merchant, batch_id from svc.settlements',
    );
    expect(rows).toEqual([{ foreign_transaction_id: transactionId, held_for_merchant: false, batch_id: null }]);
    expect(await auditIn(harness)).toEqual([
      { actor: 'operator:ada', action: 'payment.accepted', target: held.paymentId },
    ]);
    expect(await resolveHeld(operation, held, 'refuse')).toEqual({ ok: false, code: 'payment_not_held' });
  });

  test('fails when the merchant refuses it: its intent is payable again, and the receipt stays', async () => {
    const harness = await createApplyHarness();
    const { held, operation } = await heldIn(harness);
    expect(await resolveHeld(operation, held, 'refuse')).toMatchObject({ ok: true, status: 'failed' });
    expect(await paymentIn(harness, held.paymentId)).toMatchObject({
      status: 'failed',
      settlement: 'failed',
      intentStatus: 'requires_payment',
    });
    const { rows } = await harness.pool.query('select failure_code from svc.payments where id = $1', [held.paymentId]);
    expect(rows).toEqual([{ failure_code: 'authorization_already_used' }]);
    expect(await harness.proofs()).toMatchObject([{ payment: null, reason: 'shared_wallet' }]);
    expect(await auditIn(harness)).toMatchObject([{ action: 'payment.refused' }]);
    expect(await resolveHeld(operation, held, 'accept')).toEqual({ ok: false, code: 'payment_not_held' });
  });

  test('gets one answer when two operators give two at once', async () => {
    const harness = await createApplyHarness();
    for (let round = 0; round < 12; round += 1) {
      const { held, operation } = await heldIn(harness);
      const words = ['accept', 'refuse'] as const;
      const answers = await Promise.all(words.map((word) => resolveHeld(operation, held, word)));
      const [given] = answers.filter(({ ok }) => ok);
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
      const status = given?.ok === true ? given.status : '';
      expect(await paymentIn(harness, held.paymentId)).toMatchObject({ status, settlement: status });
      const proven = (await harness.proofs()).filter(({ payment }) => payment === held.paymentId);
      expect(proven).toHaveLength(status === 'completed' ? 1 : 0);
    }
    expect(await auditIn(harness)).toHaveLength(12);
  });
});

test('a payment of another account, one that is not held, and one whose transfer proves something else are left', async () => {
  const harness = await createApplyHarness();
  const { held, operation } = await heldIn(harness);
  const other = { ...held, accountId: 'acct_other' };
  expect(await resolveHeld(operation, other, 'accept')).toEqual({ ok: false, code: 'payment_unknown' });
  const { paymentId } = await harness.claim(await harness.offer({ use: 'exclusive' }));
  expect(await resolveHeld(operation, { ...held, paymentId }, 'accept')).toEqual({
    ok: false,
    code: 'payment_not_held',
  });
  await harness.pool.query(`update svc.log_proofs set log = log || '{"paymentId": "pay_other"}'`);
  expect(await resolveHeld(operation, held, 'accept')).toEqual({ ok: false, code: 'receipt_unknown' });
  expect(await paymentIn(harness, held.paymentId)).toMatchObject({ status: 'pending', settlement: 'held' });
  expect(await resolveHeld(operation, held, 'refuse')).toMatchObject({ ok: true, status: 'failed' });
  expect(await auditIn(harness)).toHaveLength(1);
});

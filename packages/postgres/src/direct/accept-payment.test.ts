import { type PaymentId, refundSignature, refundSteps } from '@svc-pay/core/testing';
import { type OfferedIntent, receivedLog } from '@svc-pay/core/testing/contracts';
import type { Id } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { applyLog, expectSound, read } from '../testing/apply-final.ts';
import { createApplyHarness, type PostgresApplyHarness } from '../testing/apply-harness.ts';
import { acceptPayment } from './accept-payment.ts';

async function pay(harness: PostgresApplyHarness, intent: OfferedIntent, percent: bigint) {
  const amountAtomic = (intent.acceptance.amount * percent) / 100n;
  const applied = await applyLog(
    harness,
    await read(harness, receivedLog(intent, { amountAtomic, feeAtomic: amountAtomic / 100n })),
  );
  return ('paymentId' in applied ? applied.paymentId : '') as Id<'payment'>;
}

const accept = ({ pool, caller, nowMs }: PostgresApplyHarness, paymentId: Id<'payment'>, change: object = {}) =>
  acceptPayment(
    { pool, clock: { nowMs } },
    { accountId: caller.accountId, mode: caller.mode, paymentId, keyId: null, ...change },
  );

const rowOf = async (harness: PostgresApplyHarness, paymentId: string) =>
  (await harness.read()).payments.find(({ id }) => id === paymentId);

const completedEvents = async (harness: PostgresApplyHarness, intent: OfferedIntent) =>
  (await harness.read()).events.filter(
    (event) => event.intent === intent.intentId && event.type === 'payment.completed',
  );

test('a part is accepted once: its intent is completed by it, with the sum of all parts', async () => {
  const harness = await createApplyHarness();
  const intent = await harness.offer();
  const { amount } = intent.acceptance;
  await pay(harness, intent, 30n);
  const second = await pay(harness, intent, 40n);
  expect(await accept(harness, second)).toMatchObject({ ok: true, changed: true });
  expect(await accept(harness, second)).toMatchObject({ ok: true, changed: false });
  expect(await rowOf(harness, second)).toMatchObject({
    status: 'completed',
    intentStatus: 'completed',
    named: true,
    paidTotal: (amount * 70n) / 100n,
    refundDue: null,
  });
  expect(await completedEvents(harness, intent)).toHaveLength(1);
  const { rows } = await harness.pool.query("select target from svc.audit where action = 'payment.accepted'");
  expect(rows).toEqual([{ target: second }]);
  await expectSound(harness);
});

test('late money of a canceled intent is accepted, and its due is gone', async () => {
  const harness = await createApplyHarness();
  const intent = await harness.offer();
  await harness.cancelIntent(intent.intentId);
  const late = await pay(harness, intent, 100n);
  expect(await rowOf(harness, late)).toMatchObject({ refundDue: intent.acceptance.amount, named: false });
  expect((await accept(harness, late)).ok).toBe(true);
  expect(await rowOf(harness, late)).toMatchObject({ intentStatus: 'completed', named: true, refundDue: null });
});

test('of several accepts and payments at once one completes the intent', async () => {
  const harness = await createApplyHarness();
  for (let round = 0; round < 8; round += 1) {
    const intent = await harness.offer();
    const [one, two] = [await pay(harness, intent, 30n), await pay(harness, intent, 40n)];
    const answers = await Promise.all([
      accept(harness, one),
      accept(harness, two),
      harness.claim(intent).catch(() => undefined),
      pay(harness, intent, 30n),
    ]);
    expect(answers).toHaveLength(4);
    expect((await completedEvents(harness, intent)).length).toBeLessThanOrEqual(1);
  }
  await expectSound(harness);
});

test('it is refused for a payment of somebody else, by another key, with a refund open, and beside a success', async () => {
  const harness = await createApplyHarness();
  const { pool } = harness;
  const intent = await harness.offer();
  const part = await pay(harness, intent, 40n);
  expect(await accept(harness, part, { accountId: 'acct_other' })).toEqual({ ok: false, code: 'not_found' });
  expect(await accept(harness, part, { keyId: 'key_other' })).toEqual({ ok: false, code: 'key_invalid' });
  await pool.query(
    `insert into svc.refund_totals (account_id, mode, payment_id, paid, reserved)
     select account_id, mode, id, paid_amount, 1 from svc.payments where id = $1`,
    [part],
  );
  expect(await accept(harness, part)).toEqual({ ok: false, code: 'payment_being_refunded' });
  await pool.query('update svc.refund_totals set reserved = 0');
  const { paymentId } = await harness.claim(intent);
  expect(await accept(harness, part)).toEqual({ ok: false, code: 'intent_payment_under_way' });
  expect(await accept(harness, paymentId as Id<'payment'>)).toEqual({ ok: false, code: 'payment_not_mismatched' });
  const other = await harness.offer();
  const first = await pay(harness, other, 40n);
  await pay(harness, other, 60n);
  expect(await accept(harness, first)).toEqual({ ok: false, code: 'intent_paid_by_another' });
});

test('a part that was given back leaves its intent payable', async () => {
  const harness = await createApplyHarness();
  const intent = await harness.offer();
  const part = await pay(harness, intent, 40n);
  await harness.pool.query("update svc.payments set status = 'refunded' where id = $1", [part]);
  const whole = await pay(harness, intent, 100n);
  expect(await rowOf(harness, whole)).toMatchObject({ status: 'completed', named: true });
});

/** Money of another sender or of an intent that ended: a payment of its own, and no part. With a prepared refund of it. */
async function refundableAside(harness: PostgresApplyHarness) {
  const { owner, network, refunds: store, refundWatch: watch } = harness;
  const intent = await harness.offer();
  await harness.cancelIntent(intent.intentId);
  const paymentId = await pay(harness, intent, 100n);
  const nowMs = Math.ceil(harness.nowMs() / 1_000) * 1_000;
  const { acceptance } = intent;
  const wallet = (await store.loadRefundable(owner, paymentId))?.wallets[0] ?? '';
  const parties = { asset: acceptance.token.address, wallet, payer: `0x${'aa'.repeat(20)}` };
  const unused = (): Promise<PaymentId> => Promise.reject(new Error('it is paid already'));
  const steps = refundSteps({ store, watch, owner, network, nowMs, paid: unused, ...parties });
  const { id } = await steps.prepared(paymentId, acceptance.amount);
  return { paymentId, id, nowMs, submit: () => store.submit(owner, id, refundSignature(1), nowMs) };
}

test.each(['refund', 'acceptance'])(
  'of an acceptance and a refund of the same money the first counts: %s',
  async (first) => {
    const harness = await createApplyHarness();
    const { paymentId, submit } = await refundableAside(harness);
    const refund = async () => (await submit()).ok;
    const acceptance = async () => (await accept(harness, paymentId)).ok;
    const [one, other] = first === 'refund' ? [refund, acceptance] : [acceptance, refund];
    expect([await one(), await other()]).toEqual([true, false]);
    await expectSound(harness);
  },
);

test('of an acceptance and a refund of the same money at once, one counts', async () => {
  const harness = await createApplyHarness();
  for (let round = 0; round < 10; round += 1) {
    const { paymentId, submit } = await refundableAside(harness);
    const [refunded, accepted] = await Promise.all([submit(), accept(harness, paymentId)]);
    expect([refunded.ok, accepted.ok].filter(Boolean)).toHaveLength(1);
  }
  await expectSound(harness);
});

test('an acceptance does not overtake whoever writes a refund of the payment, and a refund not an acceptance', async () => {
  const harness = await createApplyHarness();
  const { accountId, mode } = harness.caller;
  const { paymentId, id, nowMs, submit } = await refundableAside(harness);
  const other = await harness.pool.connect();
  try {
    await other.query('begin');
    const values = [accountId, mode, id, Buffer.alloc(65, 1), false, new Date(nowMs)];
    await other.query('select svc.submit_refund($1, $2, $3, $4, $5, $6)', values);
    expect(await accept(harness, paymentId)).toEqual({ ok: false, code: 'intent_payment_under_way' });
    await other.query('rollback');
  } finally {
    other.release();
  }
  expect(await accept(harness, paymentId)).toMatchObject({ ok: true, changed: true });
  expect(await submit()).toEqual({ ok: false, code: 'refund_superseded' });
});

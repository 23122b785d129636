// Parts of an intent that are counted while the merchant gives them back.
import { type PaymentId, refundSignature, refundSteps } from '@svc-pay/core/testing';
import { type OfferedIntent, receivedLog } from '@svc-pay/core/testing/contracts';
import { expect, test } from 'vitest';
import { applyLog, expectSound, read } from '../testing/apply-final.ts';
import { createApplyHarness } from '../testing/apply-harness.ts';

const ROUNDS = 10;

async function createWorld() {
  const harness = await createApplyHarness();
  const { network, owner, refunds: store, refundWatch: watch } = harness;
  const nowMs = Math.ceil(harness.nowMs() / 1_000) * 1_000;
  const share = (intent: OfferedIntent, percent: bigint) => {
    const amountAtomic = (intent.acceptance.amount * percent) / 100n;
    return read(harness, receivedLog(intent, { amountAtomic, feeAtomic: amountAtomic / 100n }));
  };
  const half = async () => {
    const intent = await harness.offer();
    const applied = await applyLog(harness, await share(intent, 50n));
    const paymentId = ('paymentId' in applied ? applied.paymentId : '') as PaymentId;
    const { acceptance } = intent;
    const wallet = (await store.loadRefundable(owner, paymentId))?.wallets[0] ?? '';
    const parties = { asset: acceptance.token.address, wallet, payer: `0x${'aa'.repeat(20)}` };
    const unused = () => Promise.reject(new Error('it pays by parts'));
    const steps = refundSteps({ store, watch, owner, network, nowMs, paid: unused, ...parties });
    return { intent, paymentId, amount: acceptance.amount / 2n, steps };
  };
  const submit = (id: Parameters<typeof store.submit>[1]) => store.submit(owner, id, refundSignature(1), nowMs);
  return { harness, watch, nowMs, share, half, submit };
}

test('of the refund of a part and the part that reaches the sum at once, one counts', async () => {
  const { harness, share, half, submit } = await createWorld();
  const seen = new Set<boolean>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { intent, paymentId, amount, steps } = await half();
    const { id } = await steps.prepared(paymentId, amount);
    const second = await share(intent, 50n);
    const [refunded, applied] = await Promise.all([submit(id), applyLog(harness, second)]);
    expect(applied.outcome).toBe(refunded.ok ? 'mismatched' : 'completed');
    seen.add(refunded.ok);
  }
  expect(seen.size).toBeGreaterThan(0);
  await expectSound(harness);
});

test('a refund that completes and a part that arrives do not wait for each other', async () => {
  const { harness, watch, nowMs, share, half } = await createWorld();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { intent, paymentId, amount, steps } = await half();
    const refund = await steps.submitted(paymentId, amount);
    const evidence = steps.evidence(amount, { transactionId: `0xref${round}` });
    const second = await share(intent, 50n);
    const done = await Promise.all([watch.complete(refund, evidence, nowMs), applyLog(harness, second)]);
    expect(done).toMatchObject(['completed', { outcome: 'mismatched' }]);
  }
});

test('a part waits for whoever writes the totals of an earlier one, without holding a connection', async () => {
  const { harness, share, half } = await createWorld();
  const { pool, apply, network } = harness;
  const { intent, paymentId, amount, steps } = await half();
  await steps.prepared(paymentId, amount);
  const second = await share(intent, 50n);
  const other = await pool.connect();
  try {
    await other.query('begin');
    await other.query('select from svc.refund_totals where payment_id = $1 for update', [paymentId]);
    expect(await apply.applyLog(network, second, harness.nowMs())).toEqual({ outcome: 'waits', reason: 'locked' });
    await other.query('commit');
  } finally {
    other.release();
  }
  expect((await applyLog(harness, second)).outcome).toBe('completed');
});

test('a reported refund of a part without totals waits until the part is counted', async () => {
  const { harness, half } = await createWorld();
  const { pool } = harness;
  const { intent, paymentId } = await half();
  const { accountId, mode } = harness.caller;
  const reader = await pool.connect();
  try {
    await reader.query('begin');
    await reader.query('select from svc.lock_parts($1, $2, $3)', [accountId, mode, intent.intentId]);
    const waiting = pool.query("select set_config('lock_timeout', '50', true), svc.lock_refund_totals($1, $2, $3)", [
      accountId,
      mode,
      paymentId,
    ]);
    await expect(waiting).rejects.toMatchObject({ code: '55P03' });
    await reader.query('rollback');
  } finally {
    reader.release();
  }
});

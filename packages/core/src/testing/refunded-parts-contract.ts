// Parts of an intent that the merchant gives back while they are counted. A part counts for the intent or goes back, and never
// both.
import { describe, expect, test } from 'vitest';
import type { ApplyHarness } from './apply-harness.ts';
import { applied, receivedLog } from './final-logs.ts';
import { type PaymentId, refundSignature, refundSteps } from './refund-harness.ts';

const SIGNED = refundSignature(1);

/** An intent of which half is paid, and refunds of that half. */
async function payHalf(harness: ApplyHarness) {
  const { network, refunds, refundWatch, owner } = harness;
  const nowMs = Math.ceil(harness.nowMs() / 1_000) * 1_000;
  const intent = await harness.offer();
  const { acceptance } = intent;
  const pay = async (percent: bigint) => {
    const amountAtomic = (acceptance.amount * percent) / 100n;
    return applied(harness, receivedLog(intent, { amountAtomic, feeAtomic: amountAtomic / 100n }));
  };
  const first = await pay(50n);
  const paymentId = ('paymentId' in first ? first.paymentId : '') as PaymentId;
  const wallet = (await refunds.loadRefundable(owner, paymentId))?.wallet ?? '';
  const parties = { asset: acceptance.token.address, wallet, payer: `0x${'aa'.repeat(20)}` };
  const paid = () => Promise.reject(new Error('it pays by parts'));
  const steps = refundSteps({ store: refunds, watch: refundWatch, owner, network, nowMs, paid, ...parties });
  const prepare = () => steps.prepared(paymentId, acceptance.amount / 2n);
  const submit = async ({ id }: Awaited<ReturnType<typeof prepare>>) => {
    const answer = await refunds.submit(owner, id, SIGNED, nowMs);
    return answer.ok ? answer.refund.status : answer.code;
  };
  return { pay, prepare, submit, complete: completeOf(harness, steps, nowMs), half: acceptance.amount / 2n };
}

const completeOf =
  ({ refundWatch }: ApplyHarness, { evidence }: ReturnType<typeof refundSteps>, nowMs: number) =>
  (refund: Parameters<typeof refundWatch.complete>[0], amountAtomic: bigint) =>
    refundWatch.complete(refund, evidence(amountAtomic), nowMs);

export function testRefundedParts(create: () => Promise<ApplyHarness>): void {
  describe('a part that the merchant gives back', () => {
    test('is counted where the refund was only prepared: that refund is superseded, and a new one is not', async () => {
      const { pay, prepare, submit } = await payHalf(await create());
      const before = await prepare();
      expect((await pay(50n)).outcome).toBe('completed');
      expect(await submit(before)).toBe('refund_superseded');
      expect(await submit(await prepare())).toBe('queued');
    });

    test('is not counted any more once its refund is signed, nor when that is completed', async () => {
      const { pay, prepare, submit, complete, half } = await payHalf(await create());
      const refund = await prepare();
      expect(await submit(refund)).toBe('queued');
      expect((await pay(20n)).outcome).toBe('mismatched');
      expect(await complete(refund, half)).toBe('completed');
      expect((await pay(30n)).outcome).toBe('mismatched');
      expect((await pay(50n)).outcome).toBe('completed');
    });

    test('goes back by what was prepared where it stands beside the intent, whatever pays the intent meanwhile', async () => {
      const harness = await create();
      await harness.setPolicy({ under: 'refund' });
      const { pay, prepare, submit } = await payHalf(harness);
      const before = await prepare();
      expect((await pay(100n)).outcome).toBe('completed');
      expect(await submit(before)).toBe('queued');
    });
  });
}

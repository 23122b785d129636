// What an apply store makes of another amount than an intent asks for.
import { basisPoints } from '@svc-pay/money';
import { describe, expect, test } from 'vitest';
import type { MismatchPolicy } from '../index.ts';
import type { ApplyHarness, OfferedIntent } from './apply-harness.ts';
import { applied, liveOf, paymentOf, receivedLog, transferOfUse, typesOf, usedLog } from './final-logs.ts';
import { ALL, must } from './store-harness.ts';

const FEE_BPS = 100n;

/** A `pay()` of that share of the asked amount. */
function pay(harness: ApplyHarness, intent: OfferedIntent, percent: bigint) {
  const amountAtomic = (intent.acceptance.amount * percent) / 100n;
  return applied(harness, receivedLog(intent, { amountAtomic, feeAtomic: (amountAtomic * FEE_BPS) / 10_000n }));
}

const paymentsOf = async (harness: ApplyHarness, { intentId }: OfferedIntent) =>
  (await harness.read()).payments.filter(({ intent }) => intent === intentId);

const ids = (answer: object): string => ('paymentId' in answer ? String(answer.paymentId) : '');

export function testAmounts(create: () => Promise<ApplyHarness>): void {
  describe('another amount than the intent asks for', () => {
    test('is a part: told, booked, and the intent stays payable', async () => {
      const harness = await create();
      const intent = await harness.offer();
      const { amount } = intent.acceptance;
      const answer = await pay(harness, intent, 40n);
      expect(answer).toMatchObject({ outcome: 'mismatched', reason: 'underpaid' });
      const rows = await harness.read();
      const paid = (amount * 40n) / 100n;
      expect(await paymentOf(harness, ids(answer))).toMatchObject({
        status: 'mismatched',
        settlement: 'completed',
        intentStatus: 'mismatched',
        named: true,
        requested: amount,
        paid,
        paidTotal: null,
        refundDue: null,
      });
      expect(liveOf(rows, ids(answer))).toEqual({
        payer: -paid,
        merchant: paid - paid / 100n,
        platform_fee: paid / 100n,
      });
      expect(typesOf(rows, intent.intentId)).toEqual(['payment_intent.created', 'payment.created', 'payment.updated']);
    });

    test('in parts: the one that reaches the sum is the only completed payment and says so', async () => {
      const harness = await create();
      const intent = await harness.offer();
      const { amount } = intent.acceptance;
      const first = await pay(harness, intent, 40n);
      const second = await pay(harness, intent, 30n);
      const last = await pay(harness, intent, 30n);
      expect([first, second, last].map(({ outcome }) => outcome)).toEqual(['mismatched', 'mismatched', 'completed']);
      expect(await paymentOf(harness, ids(last))).toMatchObject({
        status: 'completed',
        intentStatus: 'completed',
        named: true,
        requested: amount,
        paid: (amount * 30n) / 100n,
        paidTotal: amount,
        refundDue: null,
      });
      for (const part of [first, second])
        expect(await paymentOf(harness, ids(part))).toMatchObject({ status: 'mismatched', named: false });
      const types = typesOf(await harness.read(), intent.intentId);
      expect(types.filter((type) => type === 'payment.completed')).toHaveLength(1);
      expect(types.filter((type) => type === 'payment.created')).toHaveLength(3);
    });

    test.each<[string, Partial<MismatchPolicy>, bigint, object]>([
      [
        'less is accepted',
        { under: 'accept' },
        40n,
        { status: 'completed', intentStatus: 'completed', paidTotal: 40n },
      ],
      [
        'less is due back',
        { under: 'refund' },
        40n,
        { status: 'mismatched', intentStatus: 'requires_payment', refundDue: 40n },
      ],
      [
        'more is due back',
        {},
        120n,
        { status: 'completed', intentStatus: 'completed', paidTotal: 120n, refundDue: 20n },
      ],
      [
        'more is accepted',
        { over: 'accept' },
        120n,
        { status: 'completed', intentStatus: 'completed', paidTotal: 120n },
      ],
      ['more is held', { over: 'hold' }, 120n, { status: 'mismatched', intentStatus: 'mismatched', named: true }],
      [
        'two in a hundred are tolerated',
        { toleranceBps: basisPoints(200) },
        98n,
        { status: 'completed', intentStatus: 'completed', paidTotal: 98n },
      ],
    ])('where %s', async (_, policy, percent, expected) => {
      const harness = await create();
      await harness.setPolicy(policy);
      const intent = await harness.offer();
      const percentOf = (value: unknown) => (intent.acceptance.amount * BigInt(String(value))) / 100n;
      await pay(harness, intent, percent);
      const amounts = Object.entries(expected).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? percentOf(value) : value,
      ]);
      const [payment] = await paymentsOf(harness, intent);
      expect(payment).toMatchObject({ paidTotal: null, refundDue: null, ...Object.fromEntries(amounts) });
    });

    test('leaves the intent payable by a header: it completes the intent, and the part stays mismatched', async () => {
      const harness = await create();
      const { settling, lane } = harness;
      const intent = await harness.offer();
      const part = await pay(harness, intent, 40n);
      const claim = await harness.claim(intent);
      expect(await paymentOf(harness, claim.paymentId)).toMatchObject({ intentStatus: 'processing', named: true });
      expect((await settling.loadQueue(lane, ALL, 9)).map(({ paymentId }) => paymentId)).toEqual([claim.paymentId]);
      // What remains, while a header is queued, is no reason to remove the header: the header pays all of it.
      expect(await pay(harness, intent, 30n)).toMatchObject({ outcome: 'mismatched', reason: 'payment_under_way' });
      // The rest of the sum is: it pays the intent without the header.
      const rest = await pay(harness, intent, 60n);
      expect(rest.outcome).toBe('completed');
      expect(await paymentOf(harness, claim.paymentId)).toMatchObject({ status: 'failed', named: false });
      expect(await paymentOf(harness, ids(part))).toMatchObject({ status: 'mismatched', intentStatus: 'completed' });
    });

    test('counts once: applying the log of a part again changes nothing', async () => {
      const harness = await create();
      const intent = await harness.offer();
      const amountAtomic = (intent.acceptance.amount * 50n) / 100n;
      const log = receivedLog(intent, { amountAtomic, feeAtomic: amountAtomic / 100n });
      expect((await applied(harness, log)).outcome).toBe('mismatched');
      const rows = await harness.read();
      expect((await applied(harness, log)).outcome).toBe('recorded');
      expect(await harness.read()).toEqual(rows);
    });

    test('of a direct intent that is canceled stands beside it, and due back', async () => {
      const harness = await create();
      const intent = await harness.offer({ use: 'exclusive' });
      const signed = await harness.signBound(intent);
      await harness.cancelIntent(intent.intentId);
      const log = usedLog(intent, signed);
      const answer = await applied(harness, log, { transfer: transferOfUse(intent, log) });
      expect(answer).toMatchObject({ outcome: 'mismatched', reason: 'intent_not_payable' });
      expect(must((await paymentsOf(harness, intent))[0])).toMatchObject({
        intentStatus: 'canceled',
        refundDue: intent.acceptance.amount,
      });
    });
  });
}

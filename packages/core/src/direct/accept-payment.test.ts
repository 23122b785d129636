import { atomicAmount } from '@svc-pay/money';
import { expect, test } from 'vitest';
import { sampleIntent, samplePayment } from '../testing/samples.ts';
import { type AcceptFacts, acceptPayment } from './accept-payment.ts';

const facts = (change: Partial<AcceptFacts> = {}): AcceptFacts => ({
  intent: sampleIntent({ status: 'mismatched' }),
  eventSequence: 3,
  payment: samplePayment({
    status: 'mismatched',
    requestedAmount: atomicAmount(1_000n),
    paidAmount: atomicAmount(400n),
    refundDueAmount: atomicAmount(400n),
    announced: true,
  }),
  isBeingRefunded: false,
  partsAtomic: null,
  ...change,
});
const accept = (change: Partial<AcceptFacts> = {}) => acceptPayment(facts(change), 'req_1', 5_000);

test.each(['mismatched', 'requires_payment', 'canceled', 'failed'] as const)(
  'a mismatched payment of an intent that is %s completes it, and nothing is due back',
  (status) => {
    const verdict = accept({ intent: sampleIntent({ status }) });
    if (verdict.verdict !== 'accepted') throw new Error(verdict.verdict);
    expect(verdict.after.intent).toMatchObject({ status: 'completed', amount: 1_000n });
    expect(verdict.after.payment).toMatchObject({
      status: 'completed',
      paidAmount: 400n,
      paidTotal: 400n,
      refundDueAmount: null,
      completedAtMs: 5_000,
    });
    expect(verdict.events.map(({ type }) => type)).toEqual(['payment.completed']);
  },
);

test('an accepted part says what all parts are', () => {
  expect(accept({ partsAtomic: 700n })).toMatchObject({ after: { payment: { paidTotal: 700n } } });
});

test('a completed payment is accepted already', () => {
  expect(accept({ payment: samplePayment({ status: 'completed' }) })).toEqual({ verdict: 'completed' });
});

test.each<[string, Partial<AcceptFacts>, string]>([
  [
    'of an intent that another payment completed',
    { intent: sampleIntent({ status: 'completed' }) },
    'intent_paid_by_another',
  ],
  [
    'of an intent with a payment under way',
    { intent: sampleIntent({ status: 'processing' }) },
    'intent_payment_under_way',
  ],
  ['that is being refunded', { isBeingRefunded: true }, 'payment_being_refunded'],
  ['that is pending', { payment: samplePayment({ status: 'pending' }) }, 'payment_not_mismatched'],
  ['that failed', { payment: samplePayment({ status: 'failed' }) }, 'payment_not_mismatched'],
  ['that was refunded', { payment: samplePayment({ status: 'refunded' }) }, 'payment_not_mismatched'],
])('a payment %s is refused', (_, change, code) => {
  expect(accept(change)).toEqual({ verdict: 'refused', code });
});

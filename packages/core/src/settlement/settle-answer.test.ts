import { atomicAmount } from '@svc-pay/money';
import { INTENT_STATUSES, PAYMENT_STATUSES, settleResponse } from '@svc-pay/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { intentView } from '../intent/intent.ts';
import { paymentView } from '../payment/payment.ts';
import { sampleIntent, samplePayment } from '../testing/samples.ts';
import { refusalAnswer, settleAnswer } from './settle-answer.ts';
import type { PaymentProgress, SettlementRead } from './settlement-read.ts';

const HASH = `0x${'7a'.repeat(32)}`;
const progress = (change: Partial<PaymentProgress> = {}, payment = {}): PaymentProgress => ({
  payment: samplePayment(payment),
  failureCode: null,
  externalCostAmount: null,
  feeAmount: null,
  refundAmount: null,
  ...change,
});

const arbitraryProgress = fc
  .record({
    status: fc.constantFrom(...PAYMENT_STATUSES),
    transactionId: fc.constantFrom(null, HASH),
    settlementNumber: fc.option(fc.nat()),
    completedAtMs: fc.option(fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 })),
    failureCode: fc.constantFrom(null, 'token_refused', 'insufficient_funds'),
    cost: fc.option(fc.bigInt({ min: 0n, max: 2n ** 128n })),
  })
  .map(({ failureCode, cost, ...payment }) =>
    progress({ failureCode, externalCostAmount: cost === null ? null : atomicAmount(cost) }, payment),
  );
/** Every combination of rows: this header's payment is the latest, an older one, or there is none. */
const arbitraryRead: fc.Arbitrary<SettlementRead> = fc
  .record({
    intent: fc.constantFrom(...INTENT_STATUSES).map((status) => sampleIntent({ status })),
    latest: fc.option(arbitraryProgress),
    own: fc.constantFrom('latest' as const, 'none' as const, 'older' as const),
    older: arbitraryProgress,
  })
  .map(({ intent, latest, own, older }) => ({
    intent,
    latest,
    own: own === 'none' ? null : own === 'older' ? older : latest,
  }));

describe('whatever is stored', () => {
  test('the answer fits the wire and shows intent and payment as a GET of the same rows does', () => {
    fc.assert(
      fc.property(arbitraryRead, (read) => {
        const answer = settleAnswer(read, 'secret');
        expect(settleResponse.safeParse(answer).success).toBe(true);
        expect(answer.paymentIntent).toEqual(intentView(read.intent, 'secret'));
        const shown = read.latest ?? read.own;
        expect(answer.payment).toEqual(shown && paymentView(shown.payment, read.intent, 'secret'));
      }),
    );
  });

  test('no status says more than the rows do', () => {
    fc.assert(
      fc.property(arbitraryRead, (read) => {
        const { status, error } = settleAnswer(read, 'secret');
        const own = read.own?.payment;
        expect(error === undefined).toBe(status !== 'failed');
        if (status === 'succeeded') expect(own?.completedAtMs !== null || own.status === 'completed').toBe(true);
        if (own?.status === 'completed') expect(status).toBe('succeeded');
        if (status === 'completed') expect(read.intent.status).toBe('completed');
        if (status === 'failed' && own !== undefined) expect(['failed', 'canceled']).toContain(own.status);
        // While the payment is pending, or the intent is paid, no answer invites another payment.
        if (own?.status === 'pending' || read.intent.status === 'completed') expect(status).not.toBe('failed');
        if (status === 'processing') expect(own === undefined ? read.intent.status : own.status).toMatch(/^p/);
      }),
    );
  });

  test('the same rows give the same answer', () => {
    fc.assert(
      fc.property(arbitraryRead, (read) => {
        expect(JSON.stringify(settleAnswer(structuredClone(read), 'secret'))).toBe(
          JSON.stringify(settleAnswer(read, 'secret')),
        );
      }),
    );
  });
});

test('what has no value yet is 0, "0" and null', () => {
  const read = { intent: sampleIntent(), latest: null, own: null };
  expect(refusalAnswer(read, 'invalid_signature', 'secret')).toMatchObject({
    status: 'failed',
    error: 'invalid_signature',
    payment: null,
    transactionId: null,
    canisterTxId: 0,
    externalCostAmount: '0',
  });
});

test('under way and afterwards the answer and its payment name the same transaction', () => {
  const intent = sampleIntent({ status: 'processing' });
  for (const status of ['pending', 'completed'] as const) {
    const sent = progress({}, { status, settlementNumber: 12, transactionId: HASH });
    const answer = settleAnswer({ intent, latest: sent, own: sent }, 'secret');
    expect(answer).toMatchObject({ transactionId: HASH, canisterTxId: 12 });
    expect(answer.payment?.transactionId).toBe(answer.transactionId);
  }
});

test('a failed payment speaks for its own header only', () => {
  const failed = progress({ failureCode: 'token_refused' }, { status: 'failed' });
  const open = progress();
  const intent = sampleIntent({ status: 'processing' });
  expect(settleAnswer({ intent, latest: open, own: failed }, 'secret')).toMatchObject({
    status: 'failed',
    error: 'token_refused',
  });
  expect(settleAnswer({ intent, latest: open, own: open }, 'secret')).toMatchObject({ status: 'processing' });
  const paid = sampleIntent({ status: 'completed' });
  expect(settleAnswer({ intent: paid, latest: open, own: failed }, 'secret')).toMatchObject({ status: 'completed' });
});

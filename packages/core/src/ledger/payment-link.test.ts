import { expect, test } from 'vitest';
import type { StoredPayment } from '../payment/payment.ts';
import { sampleIntent, samplePayment } from '../testing/samples.ts';
import { settledPayment } from '../testing/settled-payment.ts';
import { linkDraft } from './payment-link.ts';

const { item } = settledPayment({ capAtomic: 1_000_000n, settledAtomic: 1_000_000n, feeBps: 0, gasShareAtomic: 0n });
const draft = (payment: Partial<StoredPayment>, transactionId: string | null) =>
  linkDraft(
    {
      intent: sampleIntent({ id: item.intentId, status: 'processing' }),
      payment: samplePayment({ id: item.paymentId, ...payment }),
      version: 4,
      eventSequence: 7,
    },
    { item, link: { transactionId, transactionSplitId: null } },
    { requestId: 'bat_a', nowMs: 1_790_000_000_000 },
  );

test('a link is told with the next number of the intent, under the id of the batch', () => {
  const first = draft({}, '0x1');
  expect(first).toMatchObject({ version: 4, after: { payment: { transactionId: '0x1', announced: true } } });
  expect(first?.events).toMatchObject([{ type: 'payment.created', sequence: 8, requestId: 'bat_a' }]);
});

test('a payment that names the transaction already is not written again', () => {
  expect(draft({ transactionId: '0x1', announced: true }, '0x1')).toBeUndefined();
  expect(draft({}, null)).toBeUndefined();
});

test('a payment with a result, or that its intent does not name, is not linked', () => {
  for (const status of ['completed', 'failed', 'canceled', 'refunded', 'mismatched'] as const)
    expect(draft({ status }, '0x1')).toBeUndefined();
  expect(draft({ id: 'pay_other' as StoredPayment['id'] }, '0x1')).toBeUndefined();
});

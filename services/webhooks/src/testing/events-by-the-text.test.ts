import { expect, test } from 'vitest';
import { differencesFromTheText } from './events-by-the-text.ts';

const differences = (change: object) =>
  differencesFromTheText(Buffer.from(JSON.stringify({ object: 'event', type: 'payment.failed', ...change })));

test('a text that differs from the tables is told from one that does not', () => {
  expect(differences({})).toContain('payment.transactionId is missing');
  expect(differences({ created: 1_794_744_000_000 })).toContain('event.created is 1794744000000, not a seconds');
});

test('payment.updated of a completed payment tells of a part that was refunded, and of nothing else', () => {
  const ofUpdate = (previous_attributes: object) =>
    differences({ type: 'payment.updated', data: { object: { status: 'completed' }, previous_attributes } });
  const wrong = 'payment.updated with status completed';
  expect(ofUpdate({ refundedAmount: '0' })).not.toContain(wrong);
  expect(ofUpdate({ refundedAmount: '0', status: 'pending' })).toContain(wrong);
  expect(ofUpdate({ transactionSplitId: null })).toContain(wrong);
});

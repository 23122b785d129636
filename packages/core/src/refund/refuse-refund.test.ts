import { expect, test } from 'vitest';
import { refuseRefund } from './refuse-refund.ts';

const NOW_MS = 1_790_000_000_000;
const waitOf = (refusals: number) => refuseRefund('pull_refused', refusals, NOW_MS).retryAtMs - NOW_MS;

test('a refused refund waits a minute, twice as long each time, and an hour at most', () => {
  expect([0, 1, 2, 3].map(waitOf)).toEqual([60_000, 120_000, 240_000, 480_000]);
  expect([6, 7, 100].map(waitOf)).toEqual([3_600_000, 3_600_000, 3_600_000]);
});

test('the refusal names what the merchant can change, and nothing where somebody else submitted the signature', () => {
  expect(refuseRefund('insufficient_funds', 0, NOW_MS).refusal).toBe('refund_insufficient_funds');
  expect(refuseRefund('pull_refused', 0, NOW_MS).refusal).toBe('refund_recipient_refused');
  expect(refuseRefund('authorization_used', 0, NOW_MS).refusal).toBeNull();
});

import { expect, test } from 'vitest';
import { queuedAgain } from './batch-limit.ts';
import { UNSETTLED_OUTCOMES } from './judge-item.ts';

const NOW_MS = 1_000;

test('each revert halves the batch that a payment may join, down to a transaction of its own', () => {
  const limits = [200, 25, 3, 2, 1].map((items) => queuedAgain({ outcome: 'reverted' }, items, NOW_MS)?.batchLimit);
  expect(limits).toEqual([100, 12, 1, 1, 1]);
});

test('a reverted payment is sent again at once, one that the processor refuses for now after a minute', () => {
  expect(queuedAgain({ outcome: 'reverted' }, 8, NOW_MS)).toEqual({ batchLimit: 4, retryAtMs: null });
  expect(queuedAgain({ outcome: 'refused_for_now' }, 1, NOW_MS)).toEqual({ batchLimit: 1, retryAtMs: 61_000 });
});

test('no other outcome is queued again before its block is final', () => {
  const others = ['settled' as const, ...UNSETTLED_OUTCOMES].filter(
    (outcome) => outcome !== 'reverted' && outcome !== 'refused_for_now',
  );
  expect(others.filter((outcome) => queuedAgain({ outcome }, 8, NOW_MS) !== undefined)).toEqual([]);
});

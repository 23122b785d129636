import fc from 'fast-check';
import { expect, test } from 'vitest';
import { payoutTerms } from './payout-terms.ts';

const splitsOf = (...bps: number[]) => bps.map((points, index) => ({ to: `recipient-${index}`, bps: points }));

test('terms are accepted exactly when the processor would register them', () => {
  const points = fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: -1, max: 10_001 }));
  const fees = fc.oneof(fc.integer({ min: 0, max: 1_001 }), fc.integer({ min: -1, max: 10_001 }));
  fc.assert(
    fc.property(fees, fc.array(points, { maxLength: 10 }), (feeBps, shares) => {
      const registrable =
        feeBps >= 0 &&
        feeBps <= 1_000 &&
        shares.length <= 8 &&
        shares.every((share) => share > 0) &&
        shares.reduce((sum, share) => sum + share, feeBps) <= 10_000;
      expect(payoutTerms({ feeBps, splits: splitsOf(...shares) }).ok).toBe(registrable);
    }),
    { numRuns: 2_000 },
  );
});

test('accepted terms are what was given, in its order', () => {
  const splits = splitsOf(2_000, 500);
  expect(payoutTerms({ feeBps: 250, splits })).toEqual({ ok: true, terms: { feeBps: 250, splits } });
});

test.each([
  [{ feeBps: 1_001, splits: [] }, { code: 'fee_out_of_range' }],
  [{ feeBps: -1, splits: [] }, { code: 'fee_out_of_range' }],
  [{ feeBps: 0.5, splits: [] }, { code: 'fee_out_of_range' }],
  [{ feeBps: 0, splits: splitsOf(1, 1, 1, 1, 1, 1, 1, 1, 1) }, { code: 'too_many_splits' }],
  [
    { feeBps: 0, splits: splitsOf(1, 0) },
    { code: 'split_out_of_range', index: 1 },
  ],
  [
    { feeBps: 0, splits: splitsOf(10_001) },
    { code: 'split_out_of_range', index: 0 },
  ],
  [
    { feeBps: 0, splits: splitsOf(1, 2, 1.5) },
    { code: 'split_out_of_range', index: 2 },
  ],
  [
    { feeBps: 0, splits: [{ to: '', bps: 1 }] },
    { code: 'split_without_recipient', index: 0 },
  ],
  [{ feeBps: 1_000, splits: splitsOf(9_001) }, { code: 'shares_over_whole' }],
])('%o are refused with %o', (given, refusal) => {
  expect(payoutTerms(given)).toEqual({ ok: false, ...refusal });
});

test('the largest fee with splits up to the whole is accepted', () => {
  expect(
    payoutTerms({ feeBps: 1_000, splits: splitsOf(2_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000) }).ok,
  ).toBe(true);
});

test('changing the given terms afterwards changes nothing', () => {
  const splits = splitsOf(100);
  const read = payoutTerms({ feeBps: 0, splits });
  splits[0]!.bps = 9_999;
  splits.push({ to: 'late', bps: 1 });
  expect(read).toEqual({ ok: true, terms: { feeBps: 0, splits: splitsOf(100) } });
  expect(read.ok && Object.isFrozen(read.terms) && Object.isFrozen(read.terms.splits)).toBe(true);
});

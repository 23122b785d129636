import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atomicAmount, MAX_ATOMIC } from './atomic-amount.ts';
import { basisPoints, isBasisPoints, shareOf } from './basis-points.ts';

const amount = fc.bigInt({ min: 0n, max: MAX_ATOMIC }).map(atomicAmount);
const bps = fc.integer({ min: 0, max: 10_000 }).map(basisPoints);

test('a share is the largest integer not above its part of the amount', () => {
  fc.assert(
    fc.property(amount, bps, (whole, points) => {
      const share = shareOf(whole, points);
      const exact = whole * BigInt(points);
      expect(share * 10_000n <= exact && exact < (share + 1n) * 10_000n).toBe(true);
    }),
  );
});

test('a share never exceeds the amount, none of it is nothing and all of it is the amount', () => {
  fc.assert(
    fc.property(amount, bps, (whole, points) => {
      expect(shareOf(whole, points) <= whole).toBe(true);
      expect(shareOf(whole, basisPoints(0))).toBe(0n);
      expect(shareOf(whole, basisPoints(10_000))).toBe(whole);
    }),
  );
});

test('a larger amount or more basis points never give a smaller share', () => {
  fc.assert(
    fc.property(amount, amount, bps, bps, (a, b, p, q) => {
      const [less, more] = a < b ? [a, b] : [b, a];
      const [fewer, greater] = p < q ? [p, q] : [q, p];
      expect(shareOf(less, fewer) <= shareOf(more, greater)).toBe(true);
    }),
  );
});

test('basis points are the integers from 0 to 10000', () => {
  expect([-1, 0, 10_000, 10_001, 0.5, Number.NaN].map(isBasisPoints)).toEqual([false, true, true, false, false, false]);
  expect(() => basisPoints(10_001)).toThrow(RangeError);
});

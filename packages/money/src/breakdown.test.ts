import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atomicAmount, MAX_ATOMIC } from './atomic-amount.ts';
import { type Breakdown, breakDown } from './breakdown.ts';
import { payoutTerms } from './payout-terms.ts';

function termsOf(feeBps: number, ...shares: number[]) {
  const read = payoutTerms({ feeBps, splits: shares.map((bps, index) => ({ to: `recipient-${index}`, bps })) });
  if (!read.ok) throw new Error(read.code);
  return read.terms;
}

function broken(settled: bigint, cap: bigint, terms: ReturnType<typeof termsOf>): Breakdown {
  const result = breakDown(atomicAmount(settled), atomicAmount(cap), terms);
  if (!result.ok) throw new Error(result.code);
  return result.breakdown;
}

const sumOf = (parts: Breakdown) => parts.splits.reduce((sum, split) => sum + split.amountAtomic, 0n);

// Split shares are scaled down to what the fee leaves, so that sums at and near the whole come up often.
const anyTerms = fc
  .tuple(fc.integer({ min: 0, max: 1_000 }), fc.array(fc.integer({ min: 1, max: 10_000 }), { maxLength: 8 }))
  .map(([feeBps, wishes]) => {
    const wished = wishes.reduce((sum, wish) => sum + wish, 0);
    const fits = (wish: number) => Math.max(1, Math.floor((wish * (10_000 - 8 - feeBps)) / wished));
    return termsOf(feeBps, ...(wished + feeBps <= 10_000 ? wishes : wishes.map(fits)));
  });
const units = fc.oneof(fc.bigInt({ min: 1n, max: MAX_ATOMIC }), fc.bigInt({ min: 1n, max: 20_000n }));
const anyPayment = fc.tuple(units, units).map(([a, b]) => (a < b ? { settled: a, cap: b } : { settled: b, cap: a }));
const many = { numRuns: 1_000 };

test('fee, splits, merchant and refund add up to the cap, to the unit', () => {
  fc.assert(
    fc.property(anyPayment, anyTerms, ({ settled, cap }, terms) => {
      const parts = broken(settled, cap, terms);
      expect(parts.feeAtomic + sumOf(parts) + parts.merchantAtomic).toBe(settled);
      expect(settled + parts.refundAtomic).toBe(cap);
    }),
    many,
  );
});

test('no part is negative and none exceeds the cap', () => {
  fc.assert(
    fc.property(anyPayment, anyTerms, ({ settled, cap }, terms) => {
      const parts = broken(settled, cap, terms);
      const all = [
        parts.feeAtomic,
        parts.merchantAtomic,
        parts.refundAtomic,
        ...parts.splits.map((s) => s.amountAtomic),
      ];
      expect(all.every((part) => part >= 0n && part <= cap)).toBe(true);
    }),
  );
});

test('fee and each split are the floor of their share of the settled amount, not of the cap', () => {
  fc.assert(
    fc.property(anyPayment, anyTerms, ({ settled, cap }, terms) => {
      const parts = broken(settled, cap, terms);
      const isFloor = (part: bigint, bps: number) => {
        const rest = settled * BigInt(bps) - part * 10_000n;
        return rest >= 0n && rest < 10_000n;
      };
      expect(isFloor(parts.feeAtomic, terms.feeBps)).toBe(true);
      expect(parts.splits.map((split) => split.to)).toEqual(terms.splits.map((split) => split.to));
      expect(terms.splits.every((split, index) => isFloor(parts.splits[index]!.amountAtomic, split.bps))).toBe(true);
    }),
    many,
  );
});

test('the merchant gets at least its own share, and less than one unit per rounded part beyond it', () => {
  fc.assert(
    fc.property(anyPayment, anyTerms, ({ settled, cap }, terms) => {
      const othersBps = terms.splits.reduce((sum, split) => sum + split.bps, terms.feeBps as number);
      const extra = broken(settled, cap, terms).merchantAtomic * 10_000n - settled * BigInt(10_000 - othersBps);
      expect(extra >= 0n && extra < 10_000n * BigInt(terms.splits.length + 1)).toBe(true);
    }),
  );
});

test('the order of the splits changes nobody’s part', () => {
  fc.assert(
    fc.property(anyPayment, anyTerms, ({ settled, cap }, terms) => {
      const reversed = payoutTerms({ feeBps: terms.feeBps, splits: terms.splits.toReversed() });
      if (!reversed.ok) throw new Error(reversed.code);
      const parts = broken(settled, cap, terms);
      expect(broken(settled, cap, reversed.terms)).toEqual({ ...parts, splits: parts.splits.toReversed() });
    }),
  );
});

test('the cap changes the refund and nothing else', () => {
  fc.assert(
    fc.property(anyPayment, anyTerms, ({ settled, cap }, terms) => {
      const exact = broken(settled, settled, terms);
      expect(exact.refundAtomic).toBe(0n);
      expect(broken(settled, cap, terms)).toEqual({ ...exact, refundAtomic: cap - settled });
    }),
  );
});

test('settling more never pays anyone but the payer less', () => {
  fc.assert(
    fc.property(units, units, anyTerms, (a, b, terms) => {
      const [less, more] = (a < b ? [a, b] : [b, a]).map((settled) => broken(settled, MAX_ATOMIC, terms));
      expect(less!.feeAtomic <= more!.feeAtomic && less!.refundAtomic >= more!.refundAtomic).toBe(true);
      expect(less!.splits.every((split, index) => split.amountAtomic <= more!.splits[index]!.amountAtomic)).toBe(true);
    }),
  );
});

test('settling is accepted exactly from one unit to the cap', () => {
  const close = fc.bigInt({ min: 0n, max: 3n });
  fc.assert(
    fc.property(fc.oneof(units, close), fc.oneof(units, close), anyTerms, (settled, cap, terms) => {
      expect(breakDown(atomicAmount(settled), atomicAmount(cap), terms).ok).toBe(settled > 0n && settled <= cap);
    }),
  );
  const refusal = (settled: bigint, cap: bigint) => breakDown(atomicAmount(settled), atomicAmount(cap), termsOf(0));
  expect(refusal(0n, 5n)).toEqual({ ok: false, code: 'settled_zero' });
  expect(refusal(0n, 0n)).toEqual({ ok: false, code: 'settled_zero' });
  expect(refusal(6n, 5n)).toEqual({ ok: false, code: 'settled_over_cap' });
});

test.each([
  {
    settled: 1_000_000n,
    cap: 1_000_000n,
    terms: termsOf(250),
    fee: 25_000n,
    splits: [],
    merchant: 975_000n,
    refund: 0n,
  },
  {
    settled: 333n,
    cap: 1_000n,
    terms: termsOf(100, 5_000, 2_500),
    fee: 3n,
    splits: [166n, 83n],
    merchant: 81n,
    refund: 667n,
  },
  { settled: 1n, cap: 9n, terms: termsOf(1_000, 4_500, 4_500), fee: 0n, splits: [0n, 0n], merchant: 1n, refund: 8n },
  {
    settled: 10_000n,
    cap: 10_000n,
    terms: termsOf(1_000, 9_000),
    fee: 1_000n,
    splits: [9_000n],
    merchant: 0n,
    refund: 0n,
  },
  { settled: 9_999n, cap: 10_000n, terms: termsOf(1), fee: 0n, splits: [], merchant: 9_999n, refund: 1n },
])('$settled of a cap of $cap breaks down as fee $fee, splits $splits, merchant $merchant, refund $refund', (row) => {
  const parts = broken(row.settled, row.cap, row.terms);
  expect(parts.feeAtomic).toBe(row.fee);
  expect(parts.splits.map((split) => split.amountAtomic)).toEqual(row.splits);
  expect(parts.merchantAtomic).toBe(row.merchant);
  expect(parts.refundAtomic).toBe(row.refund);
});

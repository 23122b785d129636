import { parseRate, type Token, token } from '@svc-pay/money';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CarriedOutcome, externalCostAtomic, shareGas } from './gas-share.ts';

const total = fc.bigInt({ min: 0n, max: 10n ** 24n });
const CHECKED: readonly CarriedOutcome[] = ['expired', 'not_yet_valid', 'payout_inactive', 'malformed'];
const CALLED: readonly CarriedOutcome[] = ['pull_refused', 'insufficient_funds', 'authorization_used', 'no_evidence'];
const sum = (shares: readonly bigint[]) => shares.reduce((all, share) => all + share, 0n);

test('shares of payments with one outcome add up to the total exactly and differ by less than their number', () => {
  fc.assert(
    fc.property(
      total,
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom<CarriedOutcome>('settled', 'reverted', 'pull_refused'),
      (cost, count, outcome) => {
        const shares = shareGas(cost, Array(count).fill(outcome));
        expect(shares.length).toBe(count);
        expect(sum(shares)).toBe(cost);
        const [first = 0n, ...rest] = shares;
        for (const share of rest) {
          expect(share).toBe(rest[0]);
          expect(first - share >= 0n && first - share < BigInt(count)).toBe(true);
        }
      },
    ),
  );
});

test('shares of any payments add up to the total exactly, and settled ones carry the same', () => {
  fc.assert(
    fc.property(
      total,
      fc.array(fc.constantFrom<CarriedOutcome>('settled', ...CHECKED, ...CALLED), { minLength: 1, maxLength: 100 }),
      (cost, outcomes) => {
        const shares = shareGas(cost, outcomes);
        expect(sum(shares)).toBe(cost);
        const settled = shares.filter((_, index) => outcomes[index] === 'settled');
        if (settled.length < outcomes.length) expect(new Set(settled).size).toBeLessThan(2);
      },
    ),
  );
});

test('what does not divide is on the first, or on the first that did not settle', () => {
  expect(shareGas(10n, ['settled', 'settled', 'settled'])).toEqual([4n, 3n, 3n]);
  expect(shareGas(11n, ['settled', 'settled', 'expired'])).toEqual([3n, 3n, 5n]);
});

// Measured by `npm run contracts:gas`: a transaction of one payment takes 120,000 gas and more, each further payment
// 50,000; a failing check takes less than 10,000, a call of the token up to its stipend plus overhead.
const FIRST = 120_000n;
const FURTHER = 50_000n;

test('a settled payment carries no more beside failed ones than it would have carried without them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 64 }),
      fc.array(fc.bigInt({ min: 5_000n, max: 10_000n }), { maxLength: 40 }),
      fc.array(fc.bigInt({ min: 20_000n, max: 225_000n }), { maxLength: 40 }),
      (settled, checked, called) => {
        const alone = FIRST + FURTHER * BigInt(settled - 1);
        const outcomes: CarriedOutcome[] = [
          ...Array<CarriedOutcome>(settled).fill('settled'),
          ...checked.map((_, index) => CHECKED[index % CHECKED.length] ?? 'expired'),
          ...called.map((_, index) => CALLED[index % CALLED.length] ?? 'pull_refused'),
        ];
        const [share = 0n] = shareGas(alone + sum(checked) + sum(called), outcomes);
        const [without = 0n] = shareGas(alone, Array(settled).fill('settled'));
        expect(share <= without).toBe(true);
      },
    ),
  );
});

test('a cost below nothing, or shared by nobody, is a bug of the caller', () => {
  expect(() => shareGas(-1n, ['settled'])).toThrow(RangeError);
  expect(() => shareGas(1n, [])).toThrow(RangeError);
});

const rateOf = (unit: Token, usdPerToken: string) => {
  const read = parseRate({ token: unit, usdPerToken, source: 'test', observedAtMs: 0 });
  if (!read.ok) throw new Error(read.code);
  return read.rate;
};
const gasCoin = rateOf(token('base_eth', 18), '3000');
const usdc = rateOf(token('base_usdc', 6), '1');

test('a share of gas is told in the token, rounded up', () => {
  expect(externalCostAtomic(2_645_000_000_000n, { gasCoin, token: usdc })).toBe(7_935n);
  expect(externalCostAtomic(1n, { gasCoin, token: usdc })).toBe(1n);
});

test('without a price there is no figure in the token', () => {
  expect(externalCostAtomic(2_645_000_000_000n, { gasCoin: undefined, token: usdc })).toBe(0n);
  expect(externalCostAtomic(2_645_000_000_000n, { gasCoin, token: undefined })).toBe(0n);
});

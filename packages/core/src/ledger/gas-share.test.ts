import { parseRate, type Token, token } from '@svc-pay/money';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { externalCostAtomic, shareGas } from './gas-share.ts';

test('shares add up to the total exactly and differ by less than their number', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 1, max: 200 }), (total, count) => {
      const shares = shareGas(total, count);
      expect(shares.length).toBe(count);
      expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(total);
      const [first = 0n, ...rest] = shares;
      for (const share of rest) {
        expect(share).toBe(rest[0]);
        expect(first - share >= 0n && first - share < BigInt(count)).toBe(true);
      }
    }),
  );
});

test('what does not divide is on the first', () => {
  expect(shareGas(10n, 3)).toEqual([4n, 3n, 3n]);
});

test('a cost below nothing, or shared by nobody, is a bug of the caller', () => {
  expect(() => shareGas(-1n, 1)).toThrow(RangeError);
  expect(() => shareGas(1n, 0)).toThrow(RangeError);
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

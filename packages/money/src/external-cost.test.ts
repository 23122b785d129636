import fc from 'fast-check';
import { expect, test } from 'vitest';
import { externalCost, gasCost } from './external-cost.ts';
import { parseRate } from './rate.ts';
import { type Token, token } from './token-amount.ts';
import { printUsd, usd } from './usd.ts';

const eth = token('base_eth', 18);
const usdc = token('base_usdc', 6);

function rateOf<Id extends string>(of: Token<Id>, usdPerToken: string) {
  const read = parseRate({ token: of, usdPerToken, source: 'test', observedAtMs: 0 });
  if (!read.ok) throw new Error(read.code);
  return read.rate;
}

const price = fc.bigInt({ min: 1n, max: 10n ** 24n }).map((value) => printUsd(usd(value)));
const decimals = fc.integer({ min: 0, max: 36 });
const gas = fc.bigInt({ min: 0n, max: 30_000_000n });
const gasPrice = fc.bigInt({ min: 0n, max: 10n ** 13n });

test('the cost is the least amount of the token that covers what the network took', () => {
  fc.assert(
    fc.property(gas, gasPrice, price, price, decimals, (gasUsed, gasPriceAtomic, nativePrice, tokenPrice, places) => {
      const nativeRate = rateOf(eth, nativePrice);
      const rate = rateOf(token('any', places), tokenPrice);
      const cost = gasCost(gasUsed, gasPriceAtomic, eth);
      const { atomic } = externalCost(cost, nativeRate, rate);
      const spent = cost.atomic * nativeRate.usdPerToken * 10n ** BigInt(places);
      const covered = (units: bigint) => units * rate.usdPerToken * 10n ** 18n >= spent;
      expect(covered(atomic)).toBe(true);
      expect(atomic === 0n || !covered(atomic - 1n)).toBe(true);
    }),
  );
});

test('gas that was paid for never reads as free', () => {
  const paid = fc.bigInt({ min: 1n, max: 10n ** 13n });
  fc.assert(
    fc.property(paid, paid, price, price, (gasUsed, gasPriceAtomic, nativePrice, tokenPrice) => {
      const cost = externalCost(
        gasCost(gasUsed, gasPriceAtomic, eth),
        rateOf(eth, nativePrice),
        rateOf(usdc, tokenPrice),
      );
      expect(cost.atomic > 0n).toBe(true);
    }),
  );
});

test('a cost converted into its own token at its own rate is unchanged', () => {
  fc.assert(
    fc.property(gas, gasPrice, price, (gasUsed, gasPriceAtomic, nativePrice) => {
      const cost = gasCost(gasUsed, gasPriceAtomic, eth);
      expect(externalCost(cost, rateOf(eth, nativePrice), rateOf(eth, nativePrice))).toEqual(cost);
    }),
  );
});

// 52,900 gas at 0.05 gwei is 2.645e12 wei; at 3,000 dollars 0.007935 dollars.
test.each([
  [52_900n, 50_000_000n, '3000', '1', 7_935n],
  [52_900n, 50_000_000n, '3000', '0.9998', 7_937n],
  [1n, 1n, '3000', '1', 1n],
  [0n, 50_000_000n, '3000', '1', 0n],
])('%s gas at %s wei, ETH at %s, USDC at %s cost %s units of USDC', (gasUsed, wei, ethPrice, usdcPrice, expected) => {
  expect(externalCost(gasCost(gasUsed, wei, eth), rateOf(eth, ethPrice), rateOf(usdc, usdcPrice))).toEqual({
    token: usdc,
    atomic: expected,
  });
});

test('a cost is never converted at the rate of another native token', () => {
  // @ts-expect-error the rate of another token
  expect(() => externalCost(gasCost(1n, 1n, eth), rateOf(usdc, '1'), rateOf(usdc, '1'))).toThrow(TypeError);
});

test('negative gas is a bug of the caller', () => {
  expect(() => gasCost(-1n, -1n, eth)).toThrow(RangeError);
});

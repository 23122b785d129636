import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agreesWithUsd, requiredFromUsd, settledFromUsd, tokenToUsdMicros, usdToToken } from './convert.ts';
import { parseRate } from './rate.ts';
import { token, tokenAmount } from './token-amount.ts';
import { MAX_USD, parseUsd, printUsd, usd } from './usd.ts';
import { MAX_USD_MICROS } from './usd-micros.ts';

function rateOf(decimals: number, usdPerToken: string) {
  const read = parseRate({ token: token('any', decimals), usdPerToken, source: 'test', observedAtMs: 0 });
  if (!read.ok) throw new Error(read.code);
  return read.rate;
}

function dollars(text: string | number) {
  const read = parseUsd(text);
  if (!read.ok) throw new Error(read.code);
  return read.usd;
}

const sized = (min: bigint, max: bigint) =>
  fc.oneof(fc.bigInt({ min, max }), fc.bigInt({ min, max: 10n ** 20n }), fc.bigInt({ min, max: 1_000n }));
const anyUsd = sized(0n, MAX_USD).map(usd);
const anyRate = fc
  .tuple(fc.integer({ min: 0, max: 36 }), sized(1n, MAX_USD).map(usd))
  .map(([decimals, price]) => rateOf(decimals, printUsd(price)));
const many = { numRuns: 1_000 };

test('at one rate, a settle of no more dollars than the cap was made of never crosses the cap', () => {
  fc.assert(
    fc.property(anyUsd, anyUsd, anyRate, (a, b, rate) => {
      const [budget, charge] = a > b ? [a, b] : [b, a];
      expect(settledFromUsd(charge, rate).atomic <= requiredFromUsd(budget, rate).atomic).toBe(true);
    }),
    many,
  );
});

test('settling exactly the budget leaves at most one unit of the cap', () => {
  fc.assert(
    fc.property(anyUsd, anyRate, (budget, rate) => {
      const left = requiredFromUsd(budget, rate).atomic - settledFromUsd(budget, rate).atomic;
      expect(left === 0n || left === 1n).toBe(true);
    }),
    many,
  );
});

test('what is asked for is worth at least the price, and one unit less would not be', () => {
  fc.assert(
    fc.property(anyUsd, anyRate, (price, rate) => {
      const { atomic } = requiredFromUsd(price, rate);
      const wanted = price * 10n ** BigInt(rate.token.decimals);
      expect(atomic * rate.usdPerToken >= wanted).toBe(true);
      expect(atomic === 0n || (atomic - 1n) * rate.usdPerToken < wanted).toBe(true);
    }),
    many,
  );
});

test('what is settled is worth at most the charge, and one unit more would not be', () => {
  fc.assert(
    fc.property(anyUsd, anyRate, (charge, rate) => {
      const { atomic } = settledFromUsd(charge, rate);
      const wanted = charge * 10n ** BigInt(rate.token.decimals);
      expect(atomic * rate.usdPerToken <= wanted).toBe(true);
      expect((atomic + 1n) * rate.usdPerToken > wanted).toBe(true);
    }),
    many,
  );
});

test('any price above zero asks for at least one unit', () => {
  fc.assert(
    fc.property(sized(1n, MAX_USD).map(usd), anyRate, (price, rate) => {
      expect(requiredFromUsd(price, rate).atomic >= 1n).toBe(true);
    }),
  );
});

test('more dollars never convert to fewer tokens under either rounding', () => {
  fc.assert(
    fc.property(anyUsd, anyUsd, anyRate, fc.constantFrom('up' as const, 'down' as const), (a, b, rate, rounding) => {
      const [less, more] = a < b ? [a, b] : [b, a];
      expect(usdToToken(less, rate, rounding).atomic <= usdToToken(more, rate, rounding).atomic).toBe(true);
    }),
  );
});

test('the token of the result is the token of the rate', () => {
  fc.assert(
    fc.property(anyUsd, anyRate, (price, rate) => {
      expect(usdToToken(price, rate, 'up').token).toBe(rate.token);
    }),
  );
});

test('the largest dollars at the smallest rate and the most decimals still fit an amount', () => {
  expect(requiredFromUsd(usd(MAX_USD), rateOf(36, '0.000000000000000001')).atomic).toBe(10n ** 66n);
});

test('both roundings of the same dollars agree with them, two units further does not', () => {
  fc.assert(
    fc.property(anyUsd, anyRate, (price, rate) => {
      const up = requiredFromUsd(price, rate).atomic;
      const down = settledFromUsd(price, rate).atomic;
      const agrees = (atomic: bigint) => agreesWithUsd(tokenAmount(rate.token, atomic), price, rate);
      expect([up, down].map(agrees)).toEqual([true, true]);
      expect(agrees(up + 2n)).toBe(false);
      if (down >= 2n) expect(agrees(down - 2n)).toBe(false);
    }),
  );
});

test('exactly one unit off still agrees, on either side', () => {
  const rate = rateOf(6, '1');
  const agrees = (atomic: bigint) => agreesWithUsd(tokenAmount(rate.token, atomic), dollars('1'), rate);
  const offBy = [-2n, -1n, 0n, 1n, 2n].map((units) => agrees(1_000_000n + units));
  expect(offBy).toEqual([false, true, true, true, false]);
});

test('a token amount in micro-USD is off by less than one micro, and to the named side', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), anyRate, (atomic, rate) => {
      const amount = tokenAmount(rate.token, atomic);
      const worth = atomic * rate.usdPerToken;
      const micro = 10n ** BigInt(rate.token.decimals + 12);
      const [down, up] = [tokenToUsdMicros(amount, rate, 'down'), tokenToUsdMicros(amount, rate, 'up')];
      if (down.ok) expect(down.micros * micro <= worth && (down.micros + 1n) * micro > worth).toBe(true);
      else expect(worth > MAX_USD_MICROS * micro).toBe(true);
      if (up.ok) expect(up.micros * micro >= worth && (up.micros - 1n) * micro < worth).toBe(true);
      else expect(worth > MAX_USD_MICROS * micro).toBe(true);
    }),
  );
});

test('a worthless flood of tokens is refused as too large, not thrown', () => {
  expect(tokenToUsdMicros(tokenAmount(rateOf(0, '1').token, 2n ** 256n - 1n), rateOf(0, '1'), 'down')).toEqual({
    ok: false,
    code: 'too_large',
  });
});

// 0.10 / 3000 = 0.0000333… ETH; 0.30000000000000004 / 0.9998 = 0.30006001… USDC.
test.each([
  ['1', 6, '1', 1_000_000n, 1_000_000n],
  ['19.99', 6, '1', 19_990_000n, 19_990_000n],
  ['0.10', 18, '3000', 33_333_333_333_333n, 33_333_333_333_334n],
  [0.1 + 0.2, 6, '0.9998', 300_060n, 300_061n],
  [0.1 + 0.2, 6, '1', 300_000n, 300_001n],
  ['0.0000001', 6, '1', 0n, 1n],
  ['10', 0, '3', 3n, 4n],
  ['0', 6, '1', 0n, 0n],
])('%s dollars in a token of %d decimals at %s settle as %s and ask for %s', (price, decimals, at, down, up) => {
  const rate = rateOf(decimals, at);
  expect(settledFromUsd(dollars(price), rate).atomic).toBe(down);
  expect(requiredFromUsd(dollars(price), rate).atomic).toBe(up);
});

test.each([
  [1_000_000n, 6, '0.9998', 'down', 999_800n],
  [33_333_333_333_333n, 18, '3000', 'down', 99_999n],
  [33_333_333_333_333n, 18, '3000', 'up', 100_000n],
] as const)(
  '%s units of a token of %d decimals at %s are, rounded %s, %s micros',
  (atomic, decimals, at, rounding, micros) => {
    const rate = rateOf(decimals, at);
    expect(tokenToUsdMicros(tokenAmount(rate.token, atomic), rate, rounding)).toEqual({ ok: true, micros });
  },
);

test('an amount is never converted at the rate of another token', () => {
  const stray = tokenAmount(token('stray', 6), 1n);
  // @ts-expect-error the rate of another token
  expect(() => tokenToUsdMicros(stray, rateOf(6, '1'), 'down')).toThrow(TypeError);
  // @ts-expect-error the rate of another token
  expect(() => agreesWithUsd(stray, dollars('1'), rateOf(6, '1'))).toThrow(TypeError);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_USD, parseUsd, usd } from './usd.ts';
import {
  isUsdMicros,
  MAX_USD_MICROS,
  microsToUsd,
  printUsdMicros,
  usdMicros,
  usdMicrosToJsonNumber,
  usdToMicros,
} from './usd-micros.ts';

const micros = fc.bigInt({ min: 0n, max: MAX_USD_MICROS }).map(usdMicros);
const dollars = fc.bigInt({ min: 0n, max: MAX_USD }).map(usd);

test('micros go to dollars and back unchanged under either rounding', () => {
  fc.assert(
    fc.property(micros, fc.constantFrom('up' as const, 'down' as const), (amount, rounding) => {
      expect(usdToMicros(microsToUsd(amount), rounding)).toBe(amount);
    }),
  );
});

test('rounding to micros is off by less than one micro, and to the named side', () => {
  fc.assert(
    fc.property(dollars, (amount) => {
      const below = amount - microsToUsd(usdToMicros(amount, 'down'));
      const above = microsToUsd(usdToMicros(amount, 'up')) - amount;
      expect(below >= 0n && below < 10n ** 12n).toBe(true);
      expect(above >= 0n && above < 10n ** 12n).toBe(true);
    }),
  );
});

test('the JSON number of micros reads back as the same micros up to 2^52', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 52n }).map(usdMicros), (amount) => {
      expect(parseUsd(usdMicrosToJsonNumber(amount))).toEqual({ ok: true, usd: microsToUsd(amount) });
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['0.30000000000000004', 'down', 300_000n],
  ['0.30000000000000004', 'up', 300_001n],
  ['19.99', 'down', 19_990_000n],
  ['0.000000000000000001', 'up', 1n],
  ['0.000000999999999999', 'down', 0n],
] as const)('%s dollars rounded %s are %s micros', (text, rounding, expected) => {
  const read = parseUsd(text);
  expect(read.ok && usdToMicros(read.usd, rounding)).toBe(expected);
});

test('micros print as dollars', () => {
  expect([0n, 1n, 1_500_000n, 19_990_000n].map((value) => printUsdMicros(usdMicros(value)))).toEqual([
    '0',
    '0.000001',
    '1.5',
    '19.99',
  ]);
  expect(usdMicrosToJsonNumber(usdMicros(19_990_000n))).toBe(19.99);
});

test('the largest micros are the largest dollars and fit a signed 64-bit column', () => {
  expect(microsToUsd(usdMicros(MAX_USD_MICROS))).toBe(MAX_USD);
  expect(MAX_USD_MICROS < 2n ** 63n).toBe(true);
  expect([-1n, 0n, MAX_USD_MICROS, MAX_USD_MICROS + 1n].map(isUsdMicros)).toEqual([false, true, true, false]);
  expect(() => usdMicros(MAX_USD_MICROS + 1n)).toThrow(RangeError);
});

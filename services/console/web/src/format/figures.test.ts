import fc from 'fast-check';
import { expect, test } from 'vitest';
import { duration, percent, shortUsd, toCents } from './figures.ts';

test.each([
  ['0', '0.00'],
  ['12.345', '12.35'],
  ['12.344999', '12.34'],
  ['0.999', '1.00'],
  ['123456789012.995', '123456789013.00'],
])('%s dollars are rounded to %s', (usd, cents) => {
  expect(toCents(usd)).toBe(cents);
});

test('dollars that are rounded to cents differ by half a cent at most', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (micros) => {
      const text = `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`;
      const cents = BigInt(toCents(text).replace('.', '')) * 10_000n;
      const off = cents - micros;
      expect(off <= 5_000n && off > -5_000n).toBe(true);
    }),
  );
});

test.each([
  ['1.000000', '100 %'],
  ['0.999700', '> 99.9 %'],
  ['0.984312', '98.4 %'],
  ['0.004213', '0.42 %'],
  ['0.000012', '< 0.01 %'],
  ['0.000000', '0 %'],
])('the share %s is told as %s: what is not all or nothing is never told as such', (share, told) => {
  expect(percent(share)).toBe(told);
});

test.each([
  [840, '840 ms'],
  [2_310, '2.3 s'],
  [252_000, '4.2 min'],
  [11_160_000, '3.1 h'],
])('%i milliseconds are told as %s', (ms, told) => {
  expect(duration(ms)).toBe(told);
});

test.each([
  [0, '$0'],
  [0.25, '$0.25'],
  [1_500, '$1.5k'],
  [2_000_000, '$2M'],
])('%d dollars are %s on an axis', (usd, told) => {
  expect(shortUsd(usd)).toBe(told);
});

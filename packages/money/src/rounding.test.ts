import fc from 'fast-check';
import { expect, test } from 'vitest';
import { divide } from './rounding.ts';

const dividend = fc.bigInt({ min: 0n, max: 2n ** 256n });
const divisor = fc.bigInt({ min: 1n, max: 2n ** 128n });

test('down never exceeds the quotient and up never falls below it', () => {
  fc.assert(
    fc.property(dividend, divisor, (n, d) => {
      expect(divide(n, d, 'down') * d <= n).toBe(true);
      expect(divide(n, d, 'up') * d >= n).toBe(true);
    }),
  );
});

test('up and down differ by one exactly when something is left over', () => {
  fc.assert(
    fc.property(dividend, divisor, (n, d) => {
      expect(divide(n, d, 'up') - divide(n, d, 'down')).toBe(n % d === 0n ? 0n : 1n);
    }),
  );
});

test('a negative dividend and a divisor of zero are bugs of the caller', () => {
  expect(() => divide(-1n, 1n, 'down')).toThrow(RangeError);
  expect(() => divide(1n, 0n, 'up')).toThrow(RangeError);
});

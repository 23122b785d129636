import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUsd, MAX_USD, parseUsd, printUsd, usd } from './usd.ts';

test('printing and parsing dollars gives the same dollars', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: MAX_USD }).map(usd), (amount) => {
      expect(parseUsd(printUsd(amount))).toEqual({ ok: true, usd: amount });
    }),
  );
});

test('a number of cents means the same as a JSON number and as text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (cents) => {
      const text = `${BigInt(cents) / 100n}.${`${cents % 100}`.padStart(2, '0')}`;
      const fromText = parseUsd(text);
      expect(fromText).toEqual({ ok: true, usd: BigInt(cents) * 10n ** 16n });
      expect(parseUsd(JSON.parse(text) as number)).toEqual(fromText);
    }),
  );
});

test('0.1 + 0.2 as a JSON number is kept as exactly 0.30000000000000004', () => {
  const read = parseUsd(0.1 + 0.2);
  expect(read).toEqual({ ok: true, usd: 300_000_000_000_000_040n });
  expect(read.ok && printUsd(read.usd)).toBe('0.30000000000000004');
});

test.each([
  [19.99, '19.99'],
  [1e-7, '0.0000001'],
  [1e12, '1000000000000'],
  [0, '0'],
  ['4.35', '4.35'],
  ['0.000000000000000001', '0.000000000000000001'],
  ['999999999999.999999999999999999', '999999999999.999999999999999999'],
])('%j is read as %s dollars', (input, text) => {
  const read = parseUsd(input);
  expect(read.ok && printUsd(read.usd)).toBe(text);
});

test.each([
  ['1000000000000.000000000000000001', 'too_large'],
  [1e12 + 1, 'too_large'],
  [2 ** 53, 'too_large'],
  ['0.0000000000000000001', 'too_many_decimals'],
  [0.01 / 3, 'too_many_decimals'],
  [-0, 'negative'],
  ['-0.01', 'negative'],
  ['$1', 'not_a_number'],
  [Number.NaN, 'not_a_number'],
])('%j is refused as %s', (input, code) => {
  expect(parseUsd(input)).toEqual({ ok: false, code });
});

test('zero and the maximum are dollars, one past either end is a bug', () => {
  expect([-1n, 0n, MAX_USD, MAX_USD + 1n].map(isUsd)).toEqual([false, true, true, false]);
  expect(() => usd(-1n)).toThrow(RangeError);
  expect(() => usd(MAX_USD + 1n)).toThrow(RangeError);
});

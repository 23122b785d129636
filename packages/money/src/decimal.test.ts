import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDecimal, parseJsonNumber, printDecimal, printSigned, readSigned } from './decimal.ts';

const MAX = 2n ** 256n - 1n;
const decimals = fc.integer({ min: 0, max: 36 });
const scaled = fc.oneof(fc.bigInt({ min: 0n, max: MAX }), fc.bigInt({ min: 0n, max: 10n ** 20n }));

test('printing and parsing at the same scale gives the same integer', () => {
  fc.assert(
    fc.property(scaled, decimals, (value, places) => {
      expect(parseDecimal(printDecimal(value, places), places, MAX)).toEqual({ ok: true, scaled: value });
    }),
  );
});

test('printed text has no exponent, no leading zero and no zero at its end', () => {
  fc.assert(
    fc.property(scaled, decimals, (value, places) => {
      expect(printDecimal(value, places)).toMatch(/^(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/);
    }),
  );
});

test('moving the point by an exponent gives the same value as writing it out', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 18 }), (value, places) => {
      const plain = parseDecimal(printDecimal(value, places), 18, MAX);
      expect(parseDecimal(`${value}e-${places}`, 18, MAX)).toEqual(plain);
      expect(parseDecimal(`${value}E-000${places}`, 18, MAX)).toEqual(plain);
      expect(parseDecimal(`${value * 1_000n}e-${places + 3}`, 18, MAX)).toEqual(plain);
      expect(plain).toEqual({ ok: true, scaled: value * 10n ** BigInt(18 - places) });
    }),
  );
});

test('one decimal more than the scale is refused unless it is a zero', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 30n }),
      decimals,
      fc.integer({ min: 0, max: 9 }),
      (value, places, digit) => {
        const wide = value * 10n + BigInt(digit);
        const text = `${wide}e-${places + 1}`;
        const expected = digit === 0 ? { ok: true, scaled: value } : { ok: false, code: 'too_many_decimals' };
        expect(parseDecimal(text, places, MAX)).toEqual(expected);
      },
    ),
  );
});

test('a value is accepted exactly up to the maximum', () => {
  fc.assert(
    fc.property(scaled, scaled, decimals, (value, max, places) => {
      const read = parseDecimal(printDecimal(value, places), places, max);
      expect(read).toEqual(value <= max ? { ok: true, scaled: value } : { ok: false, code: 'too_large' });
    }),
  );
});

test('no text makes the parser throw, and what parses lies between zero and the maximum', () => {
  const nearlyNumber = fc.stringMatching(/^-?[0-9]{0,4}\.?[0-9]{0,4}(?:[eE][-+]?[0-9]{0,30})?$/);
  fc.assert(
    fc.property(fc.oneof(nearlyNumber, fc.string({ unit: 'binary', maxLength: 200 })), decimals, (text, places) => {
      const read = parseDecimal(text, places, 10n ** 30n);
      if (read.ok) expect(read.scaled >= 0n && read.scaled <= 10n ** 30n).toBe(true);
      else expect(read.code).toMatch(/^[a-z_]+$/);
    }),
    { numRuns: 2_000 },
  );
});

test('a JSON number is read exactly as the text JSON would print for it', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 2 ** 53, maxExcluded: true, noNaN: true }), (value) => {
      if (Object.is(value, -0)) return;
      expect(parseJsonNumber(value, 18, MAX)).toEqual(parseDecimal(JSON.stringify(value), 18, MAX));
    }),
  );
});

test('an accepted JSON number prints back to a text that reads as the same number', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-3, max: 1e12, noNaN: true }), (value) => {
      const read = parseJsonNumber(value, 18, MAX);
      if (read.ok) expect(JSON.parse(printDecimal(read.scaled, 18))).toBe(value);
      else expect(read.code).toBe('too_many_decimals');
    }),
  );
});

test.each([
  ['0', 0n],
  ['1', 10n ** 18n],
  ['1.0', 10n ** 18n],
  ['1.10', 11n * 10n ** 17n],
  ['0.000000000000000001', 1n],
  ['1e-7', 10n ** 11n],
  ['1E+2', 10n ** 20n],
  ['1.5e1', 15n * 10n ** 18n],
  ['10e-19', 1n],
  ['0e999999999999', 0n],
  ['0.0000000000000000000', 0n],
  ['1.0000000000000000000', 10n ** 18n],
])('%j has the value %s at 18 decimals', (text, value) => {
  expect(parseDecimal(text, 18, MAX)).toEqual({ ok: true, scaled: value });
});

test.each([
  ['', 'not_a_number'],
  ['01', 'not_a_number'],
  ['.5', 'not_a_number'],
  ['5.', 'not_a_number'],
  ['+1', 'not_a_number'],
  ['1e', 'not_a_number'],
  ['1e1.5', 'not_a_number'],
  ['0x10', 'not_a_number'],
  ['1,5', 'not_a_number'],
  [' 1', 'not_a_number'],
  ['1\n', 'not_a_number'],
  ['１', 'not_a_number'],
  ['NaN', 'not_a_number'],
  ['Infinity', 'not_a_number'],
  ['-1', 'negative'],
  ['-0', 'negative'],
  ['-1e999', 'negative'],
  ['0.0000000000000000001', 'too_many_decimals'],
  ['1e-30', 'too_many_decimals'],
  ['1e-999999999999999999', 'too_many_decimals'],
  ['1e308', 'too_large'],
  ['1e999999999999999999', 'too_large'],
  ['9'.repeat(100), 'too_large'],
  ['9'.repeat(129), 'too_long'],
])('%j is refused as %s', (text, code) => {
  expect(parseDecimal(text, 18, MAX)).toEqual({ ok: false, code });
});

test('a text as long as allowed with zeros to its end is read by its value', () => {
  expect(parseDecimal(`1${'0'.repeat(122)}e-122`, 0, 1n)).toEqual({ ok: true, scaled: 1n });
});

test.each([
  [Number.NaN, 'not_a_number'],
  [Number.POSITIVE_INFINITY, 'too_large'],
  [Number.NEGATIVE_INFINITY, 'negative'],
  [-1, 'negative'],
  [-0, 'negative'],
  [-5e-324, 'negative'],
  [2 ** 53, 'too_large'],
  [1e308, 'too_large'],
  [1e-19, 'too_many_decimals'],
  [5e-324, 'too_many_decimals'],
])('the JSON number %d is refused as %s', (value, code) => {
  expect(parseJsonNumber(value, 18, MAX)).toEqual({ ok: false, code });
});

test('2^53 - 1 is the largest JSON number accepted', () => {
  expect(parseJsonNumber(2 ** 53 - 1, 0, MAX)).toEqual({ ok: true, scaled: 2n ** 53n - 1n });
});

test('a signed sum is read back to the unit, below zero too', () => {
  expect([printSigned(-1_500_000n, 6), printSigned(-1n, 6), printSigned(0n, 6)]).toEqual(['-1.5', '-0.000001', '0']);
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 128n), max: 2n ** 128n }), fc.nat(24), (sum, places) => {
      expect(readSigned(printSigned(sum, places), places)).toBe(sum);
    }),
  );
  for (const text of ['', '-', '1.', '.5', '1e3', '0.0000001', '--1'])
    expect(() => readSigned(text, 6), text).toThrow(RangeError);
});

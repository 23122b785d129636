import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExact, printExact } from './exact-json.ts';

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
    fc.bigInt({ min: -1_000n, max: 1_000n }),
    fc.constantFrom(0.5, -1.25, 0.1, true, false, null, '__proto__', '12345678901234567890', 'text'),
    fc.array(tie('value')),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'length'), tie('value')),
  ),
})).value;

test('whole numbers of every size are read as they were printed, whatever is beside them', () => {
  fc.assert(
    fc.property(value, (printed) => {
      expect(parseExact(printExact(printed))).toEqual(printed);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ['999999999999999', 999_999_999_999_999n],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['-9007199254740993', -9_007_199_254_740_993n],
  ['18446744073709551615', 18_446_744_073_709_551_615n],
  ['-0', 0n],
  ['1.5', 1.5],
  ['0.1234567890123456789', 0.123_456_789_012_345_68],
  ['2e15', 2_000_000_000_000_000n],
])('%s', (text, wanted) => {
  expect(parseExact(text)).toBe(wanted);
  for (const space of ['', ' ', '\n'])
    expect(parseExact(`[${text},${space}${text},{"a":${space}${text}}]`)).toEqual([wanted, wanted, { a: wanted }]);
});

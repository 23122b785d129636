import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codesOfPrefix, isIntentCode, isUnusedPrefix } from './intent-code.ts';

const prefixes = fc.integer({ min: 0, max: 2 ** 20 - 1 });
const counters = fc.bigInt({ min: 0n, max: 2n ** 33n - 1n });

test('a code is used by its own prefix and by no other', () => {
  fc.assert(
    fc.property(prefixes, prefixes, counters, (prefix, other, counter) => {
      const code = codesOfPrefix(prefix).first + counter;
      expect(isIntentCode(code)).toBe(true);
      expect(code <= codesOfPrefix(prefix).last).toBe(true);
      expect(isUnusedPrefix(prefix, [code])).toBe(false);
      expect(isUnusedPrefix(other, [code])).toBe(other !== prefix);
    }),
  );
});

test('codes of 54 bits and more are not ours', () => {
  expect(isIntentCode(2n ** 53n - 1n)).toBe(true);
  expect(isIntentCode(2n ** 53n)).toBe(false);
  expect(isIntentCode(2n ** 64n - 1n)).toBe(false);
});

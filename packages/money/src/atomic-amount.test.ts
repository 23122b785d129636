import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import {
  addAtomic,
  atomicAmount,
  isAtomicAmount,
  MAX_ATOMIC,
  parseAtomic,
  printAtomic,
  subtractAtomic,
} from './atomic-amount.ts';

const amount = fc.bigInt({ min: 0n, max: MAX_ATOMIC }).map(atomicAmount);
const half = fc.bigInt({ min: 0n, max: MAX_ATOMIC / 2n }).map(atomicAmount);

test('printing and parsing an amount gives the same amount', () => {
  fc.assert(
    fc.property(amount, (a) => {
      expect(parseAtomic(printAtomic(a))).toEqual({ ok: true, atomic: a });
    }),
  );
});

test('a text that parses is exactly the text that prints, so equal amounts are equal strings', () => {
  const nearlyDigits = fc.stringMatching(/^[-+0-9. ex]{0,6}$/);
  fc.assert(
    fc.property(fc.oneof(nearlyDigits, fc.string()), (text) => {
      const read = parseAtomic(text);
      if (read.ok) expect(printAtomic(read.atomic)).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

test('no text makes the parser throw, and a refusal has a code', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const read = parseAtomic(text);
      expect(read.ok || ['not_canonical', 'too_large'].includes(read.code)).toBe(true);
    }),
  );
});

test('digits are accepted exactly up to 2^256 - 1', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 300n }), (value) => {
      expect(parseAtomic(`${value}`).ok).toBe(value < 2n ** 256n);
    }),
  );
  expect(parseAtomic(`${2n ** 256n - 1n}`)).toEqual({ ok: true, atomic: 2n ** 256n - 1n });
  expect(parseAtomic(`${2n ** 256n}`)).toEqual({ ok: false, code: 'too_large' });
});

test.each([
  '',
  '01',
  '00',
  '-1',
  '-0',
  '+1',
  '1.0',
  '1.',
  '.1',
  '1e3',
  '0x10',
  '0b1',
  ' 1',
  '1 ',
  '1\n',
  '\t1',
  '1_000',
  '1,000',
  '１',
  '٣',
  'NaN',
  'Infinity',
  '1n',
])('%j is refused as not canonical', (text) => {
  expect(parseAtomic(text)).toEqual({ ok: false, code: 'not_canonical' });
});

test('a million digits are refused before they are turned into a number', () => {
  const bigint = vi.spyOn(globalThis, 'BigInt');
  const read = parseAtomic('9'.repeat(1_000_000));
  const calls = bigint.mock.calls.length;
  bigint.mockRestore();
  expect(read).toEqual({ ok: false, code: 'too_large' });
  expect(calls).toBe(0);
});

test('subtracting what was added gives the first amount back', () => {
  fc.assert(
    fc.property(half, half, (a, b) => {
      expect(subtractAtomic(addAtomic(a, b), b)).toBe(a);
    }),
  );
});

test('adding does not depend on the order', () => {
  fc.assert(
    fc.property(half, half, (a, b) => {
      expect(addAtomic(a, b)).toBe(addAtomic(b, a));
    }),
  );
});

test('a subtraction below zero throws, for any two amounts', () => {
  fc.assert(
    fc.property(amount, amount, (a, b) => {
      if (b > a) expect(() => subtractAtomic(a, b)).toThrow(RangeError);
      else expect(subtractAtomic(a, b)).toBe(a - b);
    }),
  );
});

test('a sum beyond 2^256 - 1 throws and never wraps', () => {
  expect(() => addAtomic(atomicAmount(MAX_ATOMIC), atomicAmount(1n))).toThrow(RangeError);
  expect(addAtomic(atomicAmount(MAX_ATOMIC), atomicAmount(0n))).toBe(MAX_ATOMIC);
});

test('zero and 2^256 - 1 are amounts, one past either end is not', () => {
  expect([-1n, 0n, MAX_ATOMIC, MAX_ATOMIC + 1n].map(isAtomicAmount)).toEqual([false, true, true, false]);
  expect(() => atomicAmount(-1n)).toThrow(RangeError);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_ATOMIC } from './atomic-amount.ts';
import {
  addTokens,
  compareTokens,
  oneWhole,
  parseTokenAmount,
  printTokenAmount,
  subtractTokens,
  token,
  tokenAmount,
} from './token-amount.ts';

const usdc = token('base_usdc', 6);
const eth = token('base_eth', 18);
const anyToken = fc.integer({ min: 0, max: 36 }).map((decimals) => token('any', decimals));
const atomic = fc.bigInt({ min: 0n, max: MAX_ATOMIC });

test('printing and parsing an amount gives the same amount, for any decimals', () => {
  fc.assert(
    fc.property(anyToken, atomic, (of, value) => {
      const amount = tokenAmount(of, value);
      expect(parseTokenAmount(printTokenAmount(amount), of)).toEqual({ ok: true, amount });
    }),
  );
});

test('a smallest unit cut in ten is refused, never rounded', () => {
  fc.assert(
    fc.property(
      anyToken,
      fc.bigInt({ min: 0n, max: 10n ** 40n }),
      fc.integer({ min: 1, max: 9 }),
      (of, units, tenths) => {
        const text = `${units * 10n + BigInt(tenths)}e-${of.decimals + 1}`;
        expect(parseTokenAmount(text, of)).toEqual({ ok: false, code: 'too_many_decimals' });
      },
    ),
  );
});

test('comparing amounts says what comparing their smallest units says', () => {
  const close = fc.bigInt({ min: 0n, max: 3n });
  fc.assert(
    fc.property(fc.oneof(atomic, close), fc.oneof(atomic, close), (a, b) => {
      const order = compareTokens(tokenAmount(usdc, a), tokenAmount(usdc, b));
      expect(order).toBe(a < b ? -1 : a > b ? 1 : 0);
      expect(compareTokens(tokenAmount(usdc, b), tokenAmount(usdc, a))).toBe(order === 0 ? 0 : -order);
    }),
  );
});

test('adding and subtracting keep the token and lose no unit', () => {
  const half = fc.bigInt({ min: 0n, max: MAX_ATOMIC / 2n });
  fc.assert(
    fc.property(anyToken, half, half, (of, a, b) => {
      const sum = addTokens(tokenAmount(of, a), tokenAmount(of, b));
      expect(sum).toEqual({ token: of, atomic: a + b });
      expect(subtractTokens(sum, tokenAmount(of, b))).toEqual(tokenAmount(of, a));
    }),
  );
});

test('amounts of different tokens do not type-check together, and throw where types are lost', () => {
  const one = tokenAmount(usdc, 1n);
  const other = tokenAmount(eth, 1n);
  // @ts-expect-error another token
  expect(() => addTokens(one, other)).toThrow(TypeError);
  // @ts-expect-error another token
  expect(() => subtractTokens(one, other)).toThrow(TypeError);
  // @ts-expect-error another token
  expect(() => compareTokens(one, other)).toThrow(TypeError);
});

test('one id with two numbers of decimals counts as two tokens', () => {
  expect(() => addTokens(tokenAmount(token('x', 6), 1n), tokenAmount(token('x', 18), 1n))).toThrow(TypeError);
});

test('an unchecked bigint or token does not type-check as a checked one', () => {
  // @ts-expect-error a plain bigint is no atomic amount
  expect(printTokenAmount({ token: usdc, atomic: 1_500_000n })).toBe('1.5');
  // @ts-expect-error a plain object is no token
  expect(oneWhole({ id: 'x', decimals: 2 })).toBe(100n);
});

test.each([
  ['1.5', usdc, 1_500_000n],
  ['0.000001', usdc, 1n],
  ['1.000000000000000001', eth, 1_000_000_000_000_000_001n],
  ['7', token('whole', 0), 7n],
])('%s of %o is %s smallest units', (text, of, expected) => {
  expect(parseTokenAmount(text, of)).toEqual({ ok: true, amount: { token: of, atomic: expected } });
});

test('more than 2^256 - 1 smallest units is refused', () => {
  expect(parseTokenAmount('1e72', usdc)).toEqual({ ok: false, code: 'too_large' });
});

test.each([
  ['', 6],
  ['x', -1],
  ['x', 37],
  ['x', 1.5],
  ['x', Number.NaN],
])('token(%j, %d) is a bug of the caller', (id, decimals) => {
  expect(() => token(id, decimals)).toThrow(RangeError);
});

import { describe, expect, test } from 'vitest';
import { readAmount } from './read-amount.ts';

const usd = (usdAmount: number | string) => {
  const read = readAmount({ usdAmount });
  return read.ok ? read.asked.usd : read.code;
};
const atomic = (amount: string) => {
  const read = readAmount({ amount });
  return read.ok ? read.asked.atomic : read.code;
};

describe('dollars that are legal are exact', () => {
  test.each([
    [1, 10n ** 18n],
    ['1.0', 10n ** 18n],
    [0.1 + 0.2, 300_000_000_000_000_040n],
    ['0.000000000000000001', 1n],
    [1e-7, 10n ** 11n],
    ['999999999999.999999999999999999', 999_999_999_999_999_999_999_999_999_999n],
  ])('%j', (given, expected) => {
    expect(usd(given)).toBe(expected);
  });
});

describe('dollars that are refused', () => {
  test.each([
    0,
    -1,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e-30,
    '01',
    '',
    ' 1',
    '0x10',
    '+1',
    '1,0',
    'NaN',
    '١',
    '0.0000000000000000001',
  ])('%j', (given) => {
    expect(['invalid_amount', 'amount_too_large']).toContain(usd(given));
  });
  test.each([1e308, 2 ** 53, '1e308', '1000000000001'])('%j is too large', (given) => {
    expect(usd(given)).toBe('amount_too_large');
  });
});

describe('smallest units', () => {
  test.each(['1', String(2n ** 53n + 1n), String(2n ** 128n - 1n)])('%s is kept to the unit', (text) => {
    expect(atomic(text)).toBe(BigInt(text));
  });
  test.each(['0', '-1', '-0', '01', '1.0', '1e3', '0x1', '', ' 1', '1 ', '１'])('%j is refused', (text) => {
    expect(atomic(text)).toBe('invalid_amount');
  });
  test.each([String(2n ** 128n), String(2n ** 256n), '9'.repeat(1_000)])(
    'more than the processor can hold is refused',
    (text) => {
      expect(atomic(text)).toBe('amount_too_large');
    },
  );
});

test('the two names of the dollar amount must agree', () => {
  expect(readAmount({ usdAmount: 1, amountUsd: '1.00' })).toMatchObject({ ok: true });
  expect(readAmount({ usdAmount: 1, amountUsd: 2 })).toEqual({
    ok: false,
    code: 'amounts_disagree',
    param: 'amountUsd',
  });
});

test('an intent without an amount is refused; null counts as absent', () => {
  expect(readAmount({})).toMatchObject({ code: 'amount_missing' });
  expect(readAmount({ usdAmount: null, amount: null })).toMatchObject({ code: 'amount_missing' });
});

import { expect, test } from 'vitest';
import { tokenAt } from './known-tokens.ts';
import { printHeld } from './print-amount.ts';

test('amounts are cut and not rounded up, in the language’s own form', () => {
  const usdc = tokenAt('8453', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913');
  const vol = tokenAt('eip155:31337', '0x5fC0000000000000000000000000000000000002');
  if (usdc === undefined || vol === undefined) throw new Error('unknown tokens');
  expect(printHeld('12500000', usdc, 'en')).toBe('12.50 USDC');
  expect(printHeld('1234567890123456', usdc, 'de')).toBe('1.234.567.890,123456 USDC');
  expect(printHeld('1999999999999999999', vol, 'en')).toBe('1.999999 VOL');
  expect(printHeld('9007199254740993000001', usdc, 'en')).toBe('9,007,199,254,740,993.000001 USDC');
});

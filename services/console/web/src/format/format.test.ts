import { printSigned } from '@svc-pay/money';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chainName, symbolOf } from './chains.ts';
import { grouped, hundredths, rest, showAtomic, showUsd, typedToAtomic, typedToUsd } from './money.ts';
import { short } from './short.ts';
import { compact, exact, isoToLocal, localToIso, relative, since } from './time.ts';

test('an amount keeps every digit: what is shown reads back as the same amount', () => {
  const amounts = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 60n }), fc.integer({ min: 0, max: 36 }));
  fc.assert(
    fc.property(amounts, ([units, decimals]) => {
      const shown = showAtomic(units.toString(), decimals);
      expect(shown).toMatch(/^\d{1,3}(?:,\d{3})*\.\d{2,}$/);
      expect(typedToAtomic(shown, decimals)).toBe(units.toString());
      expect(showAtomic((-units).toString(), decimals)).toBe(`−${shown}`);
      expect(grouped(printSigned(units, decimals))).toBe(shown);
    }),
  );
});

test.each([
  ['1234567.5', '$1,234,567.50'],
  ['12', '$12.00'],
  ['0.000001', '$0.000001'],
  ['-3.2', '−$3.20'],
])('%s dollars are shown as %s', (usd, shown) => {
  expect(showUsd(usd)).toBe(shown);
});

test.each(['', '0', '0.00', '-1', '1e3', 'ten', '1.2.3', '0.0000001'])(
  '“%s” is no amount of a token with 6 decimals',
  (typed) => {
    expect(typedToAtomic(typed, 6)).toBe(typed === '1e3' ? '1000000000' : undefined);
  },
);

test.each([
  ['$1,250.50', '1250.50'],
  ['007', '7'],
  ['0', undefined],
  ['1e5', undefined],
  ['-2', undefined],
  ['.5', undefined],
])('%s typed as dollars is %s', (typed, usd) => {
  expect(typedToUsd(typed)).toBe(usd);
});

test('an amount whose decimals are unknown is shown in smallest units', () => {
  expect(showAtomic('1500000', null)).toBe('1500000 units');
  expect(showAtomic('junk', 6)).toBe('junk');
});

test('what is left of a sum is never below zero', () => {
  expect(rest('100', '30', null, undefined, '20')).toBe('50');
  expect(rest('100', '101')).toBe('0');
});

test('the width of a bar is a whole number of hundredths', () => {
  expect(hundredths('-25', '50')).toBe(50);
  expect(hundredths('1', '0')).toBe(0);
});

const NOW = Date.parse('2026-11-17T12:00:00Z');

test.each([
  ['2026-11-17T11:59:58Z', 'just now'],
  ['2026-11-17T12:00:20Z', 'in a moment'],
  ['2026-11-17T11:57:00Z', '3 minutes ago'],
  ['2026-11-17T09:00:00Z', '3 hours ago'],
  ['2026-11-16T11:00:00Z', 'yesterday'],
  ['2026-11-19T13:00:00Z', 'in 2 days'],
  ['2024-11-01T00:00:00Z', '2 years ago'],
])('%s is %s', (iso, words) => {
  expect(relative(iso, NOW)).toBe(words);
});

test('an exact time names its zone, and a compact one its year where it is another', () => {
  expect(exact('2026-11-17T12:03:22Z', 'Europe/Berlin')).toMatch(/17 Nov 2026, 13:03:22 (?:CET|GMT\+1)/);
  expect(compact('2026-11-17T12:03:22Z', NOW, 'UTC')).toBe('17 Nov, 12:03');
  expect(compact('2025-11-17T12:03:22Z', NOW, 'UTC')).toBe('17 Nov 2025, 12:03');
});

test('a time that is typed comes back as the same moment', () => {
  expect(isoToLocal(localToIso('2026-11-17T13:03'))).toBe('2026-11-17T13:03');
  expect(localToIso('')).toBeUndefined();
  expect(isoToLocal('nonsense')).toBe('');
});

test.each([
  [0, '+0 ms'],
  [2_310, '+2.31 s'],
  [720_000, '+12 min'],
  [3 * 3_600_000, '+3 h'],
  [3 * 86_400_000, '+3 days'],
])('%i ms are %s', (ms, shown) => {
  expect(since(ms)).toBe(shown);
});

test('long texts are shortened in their middle, short ones are not', () => {
  expect(short('pi_01jcabcdefghjkmnpqrstvwx9k')).toBe('pi_01jc…wx9k');
  expect(short('0x52908400098527886E0F7030069857D2E4169EE7')).toBe('0x5290…9EE7');
  expect(short('2vxsx-fae')).toBe('2vxsx-fae');
});

test('a network has its name, and one that is unknown its own text', () => {
  expect(chainName('eip155:8453')).toBe('Base');
  expect(chainName('eip155:5')).toBe('eip155:5');
  expect(chainName(null)).toBe('—');
  expect(symbolOf('base_usdc')).toBe('USDC');
  expect(symbolOf(null)).toBe('');
});

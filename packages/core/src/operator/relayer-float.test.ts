import fc from 'fast-check';
import { expect, test } from 'vitest';
import { relayerFloat, spendingFromMs } from './relayer-float.ts';

const DAY = 86_400_000;
const NOW = 1_794_744_000_000;
const long = { countedFromMs: NOW - 30 * DAY, nowMs: NOW };
const ETH = 10n ** 18n;

test('a float is the balance over the mean of seven days, to a tenth of a day and rounded down', () => {
  expect(relayerFloat({ ...long, balanceAtomic: 3n * ETH, spentAtomic: 7n * ETH })).toEqual({
    kind: 'days',
    days: 3,
    perDayAtomic: ETH,
  });
  expect(relayerFloat({ ...long, balanceAtomic: 199n, spentAtomic: 700n })).toMatchObject({ days: 1.9 });
  expect(relayerFloat({ ...long, balanceAtomic: 0n, spentAtomic: 700n })).toMatchObject({ days: 0 });
});

test('a relayer that spent nothing has no days, and one whose balance is unread no float', () => {
  expect(relayerFloat({ ...long, balanceAtomic: ETH, spentAtomic: 0n })).toEqual({ kind: 'no_spending' });
  expect(relayerFloat({ ...long, balanceAtomic: undefined, spentAtomic: 5n })).toEqual({ kind: 'unknown' });
});

test('spending that is recorded for less than seven days is divided by the days that are recorded, at least by one', () => {
  const of = (days: number) =>
    relayerFloat({ balanceAtomic: 100n, spentAtomic: 20n, countedFromMs: NOW - days * DAY, nowMs: NOW });
  expect(of(2)).toMatchObject({ days: 10 });
  expect(of(0.1)).toMatchObject({ days: 5 });
  expect(of(-1)).toMatchObject({ days: 5 });
  expect(of(7)).toEqual(of(90));
});

test('a float is a finite number of days whatever the amounts are', () => {
  const amount = fc.bigInt({ min: 0n, max: 2n ** 256n });
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: -10, max: 100 }), (balanceAtomic, spentAtomic, days) => {
      const float = relayerFloat({ balanceAtomic, spentAtomic, countedFromMs: NOW - days * DAY, nowMs: NOW });
      if (float.kind !== 'days') return;
      expect(float.days).toBeGreaterThanOrEqual(0);
      expect(float.days).toBeLessThanOrEqual(9_999);
    }),
  );
});

test('spending is counted for seven days', () => {
  expect(NOW - spendingFromMs(NOW)).toBe(7 * DAY);
});

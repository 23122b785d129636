import { expect, test } from 'vitest';
import { type GasFigures, regressions } from './gas-compare.ts';

const committed: GasFigures = {
  bare: 70_000,
  single_exact: 120_000,
  batch100: 50_000,
  batch100_upto: 55_000,
  batch100_merchants: 65_000,
  direct_single: 71_000,
  direct100: 43_000,
  direct100_merchants: 47_000,
  token100: 40_000,
  token100_merchants: 45_000,
  size_bytes: 22_000,
};

test('a figure may grow by two percent and not by more', () => {
  expect(regressions(committed, { ...committed, batch100: 51_000 }, 24_576)).toEqual([]);
  expect(regressions(committed, { ...committed, batch100: 51_001 }, 24_576)).toEqual([
    'batch100 grew from 50000 to 51001 gas, more than 2 %',
  ]);
});

test('less gas is never a problem', () => {
  expect(regressions(committed, { ...committed, batch100: 1 }, 24_576)).toEqual([]);
});

test('a contract that cannot be deployed is a regression', () => {
  expect(regressions(committed, { ...committed, size_bytes: 24_576 }, 24_576)).toHaveLength(1);
});

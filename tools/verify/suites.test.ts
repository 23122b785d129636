import { expect, test } from 'vitest';
import { INSTALL, LONG_BUDGET_SECONDS, LONG_SUITES, SUITES, type Suite, TOTAL_BUDGET_SECONDS } from './suites.ts';

const planned = (suites: readonly Suite[]) => suites.reduce((total, suite) => total + suite.budgetSeconds, 0);

test('all suites of an ordinary run together plan less than 40 minutes', () => {
  expect(planned([INSTALL, ...SUITES])).toBeLessThanOrEqual(TOTAL_BUDGET_SECONDS);
  expect(TOTAL_BUDGET_SECONDS).toBeLessThan(40 * 60);
});

test('all long suites together plan at most 100 minutes', () => {
  expect(planned(LONG_SUITES)).toBeLessThanOrEqual(LONG_BUDGET_SECONDS);
  expect(LONG_BUDGET_SECONDS).toBe(100 * 60);
});

test('a suite has one name and a budget', () => {
  const names = [INSTALL, ...SUITES, ...LONG_SUITES].map((suite) => suite.name);
  expect(new Set(names).size).toBe(names.length);
  for (const suite of [...SUITES, ...LONG_SUITES]) expect(suite.budgetSeconds).toBeGreaterThan(0);
});

import { expect, test } from 'vitest';
import { INSTALL, SUITES, TOTAL_BUDGET_SECONDS } from './suites.ts';

test('all suites together plan less than 27 minutes', () => {
  const planned = [INSTALL, ...SUITES].reduce((total, suite) => total + suite.budgetSeconds, 0);
  expect(planned).toBeLessThanOrEqual(TOTAL_BUDGET_SECONDS);
});

test('a suite has one name and a budget', () => {
  const names = [INSTALL, ...SUITES].map((suite) => suite.name);
  expect(new Set(names).size).toBe(names.length);
  for (const suite of SUITES) expect(suite.budgetSeconds).toBeGreaterThan(0);
});

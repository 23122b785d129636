import { expect, test } from 'vitest';
import { createLedgerCallBudget } from './ledger-call-budget.ts';

const RATES = { all: { everyMs: 300, burst: 6 }, ofAccount: { everyMs: 1_000, burst: 4 } };

function budget() {
  let nowMs = 1_000_000;
  const mayAsk = createLedgerCallBudget({ nowMs: () => nowMs }, RATES);
  const allowed = (account: string, calls: number) =>
    Array.from({ length: calls }, () => mayAsk(account)).filter(Boolean).length;
  return { allowed, pass: (ms: number) => void (nowMs += ms) };
}

test('an account asks its burst at once, and one call a second after it', () => {
  const { allowed, pass } = budget();
  expect(allowed('one', 10)).toBe(4);
  pass(1_000);
  expect(allowed('one', 10)).toBe(1);
  pass(3_600_000);
  expect(allowed('one', 10)).toBe(4);
});

test('many accounts together ask no more than the process can verify', () => {
  const { allowed, pass } = budget();
  const ofMany = () => Array.from({ length: 20 }, (_, n) => allowed(`account ${n}`, 1)).reduce((sum, one) => sum + one);
  expect(ofMany()).toBe(6);
  pass(1_000);
  expect(ofMany()).toBe(3);
});

test('a call that is refused for all costs its account nothing', () => {
  const { allowed, pass } = budget();
  expect(allowed('one', 4) + allowed('two', 2)).toBe(6);
  expect(allowed('three', 50)).toBe(0);
  pass(2_000);
  expect(allowed('three', 10)).toBe(4);
});

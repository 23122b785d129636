import { expect, test } from 'vitest';
import { checkClock } from './check-clock.ts';

const status = (theirsMs: number) => checkClock('database', 'clock', theirsMs, 10_000, 10_400).status;

test('a slow answer is no skew: only what lies outside the question counts', () => {
  expect([10_000, 10_400, 9_001, 11_399].map(status)).toEqual(['ok', 'ok', 'ok', 'ok']);
});

test('a second is worth a look, five seconds are wrong, in both directions', () => {
  expect([9_000, 11_400].map(status)).toEqual(['warning', 'warning']);
  expect([5_000, 15_400].map(status)).toEqual(['problem', 'problem']);
});

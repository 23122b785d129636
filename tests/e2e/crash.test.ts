// The hardest crash test; the others are in crash.long.test.ts.
import { test } from 'vitest';
import { CRASHES, expectAllSettleOnce } from './pay-through-crash.ts';

test('kill -9 of settlement and the engine in the middle, with a replay after every step: all 200 settle once', () =>
  expectAllSettleOnce(CRASHES.both, true));

import { test } from 'vitest';
import { CRASHES, expectAllSettleOnce } from './pay-through-crash.ts';

test.each(Object.entries(CRASHES))('kill -9 of %s in the middle: all 200 settle once', (_, crash) =>
  expectAllSettleOnce(crash, false),
);

import { expect, test } from 'vitest';
import { countsForHealth, losesShare } from './obstacle.ts';

test('a lane without an obstacle keeps its share and counts as able to send', () => {
  expect([losesShare(null), countsForHealth(null)]).toEqual([false, false]);
});

test('an obstacle costs the lane its share after three seconds, and counts against the network after five', () => {
  expect([0, 2_999, 3_000, 60_000].map(losesShare)).toEqual([false, false, true, true]);
  expect([0, 4_999, 5_000, 60_000].map(countsForHealth)).toEqual([false, false, true, true]);
});

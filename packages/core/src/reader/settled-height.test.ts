import { expect, test } from 'vitest';
import { createSettledHeight } from './settled-height.ts';

test('a finalized height counts when it was seen long enough ago', () => {
  const settled = createSettledHeight(1_000);
  const seen = [
    [0, 10n],
    [500, 12n],
    [999, 12n],
    [1_000, 15n],
    [1_499, 15n],
    [1_500, 15n],
    [9_000, 14n],
  ] as const;
  expect(seen.map(([nowMs, height]) => settled.at(nowMs, height))).toEqual([
    undefined,
    undefined,
    undefined,
    10n,
    10n,
    12n,
    15n,
  ]);
});

test('without a delay it is the height of now', () => {
  const settled = createSettledHeight(0);
  expect(settled.at(5, 10n)).toBe(10n);
  expect(settled.at(5, 11n)).toBe(11n);
});

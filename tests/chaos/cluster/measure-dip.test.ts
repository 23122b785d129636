import { expect, test } from 'vitest';
import { measureDip } from './measure-dip.ts';

/** Ten a second, apart from when nothing completes. */
const completions = (gaps: readonly (readonly [fromMs: number, untilMs: number])[]) =>
  Array.from({ length: 600 }, (_, index) => index * 100).filter(
    (at) => !gaps.some(([from, until]) => at >= from && at < until),
  );

test('payments that go on have no dip', () => {
  expect(measureDip(completions([]), 30_000, 50_000)).toBe(0);
});

test('a dip lasts from the stroke until half of what is usual is back, also when it begins late', () => {
  const dip = measureDip(completions([[31_000, 37_000]]), 30_000, 50_000);
  expect(dip).toBeGreaterThanOrEqual(6_000);
  expect(dip).toBeLessThanOrEqual(7_000);
});

test('one good moment in between does not end it', () => {
  const dip = measureDip(
    completions([
      [31_000, 34_000],
      [35_500, 39_000],
    ]),
    30_000,
    50_000,
  );
  expect(dip).toBeGreaterThanOrEqual(7_500);
  expect(dip).toBeLessThanOrEqual(9_000);
});

test('what does not come back lasts as long as it was looked at', () => {
  expect(measureDip(completions([[30_000, 60_000]]), 30_000, 50_000)).toBe(20_000);
});

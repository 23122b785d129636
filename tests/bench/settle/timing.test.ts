import { expect, test } from 'vitest';
import { timingOf } from './timing.ts';

/** Hundred payments, one every 10 ms from the first second on, and a straggler. */
const SPANS = [
  ...Array.from({ length: 99 }, (_, index) => ({ startMs: 1_000, endMs: 2_000 + index * 10 })),
  { startMs: 1_000, endMs: 6_000 },
];

test('the rate is that of the whole run, from the first request to the last completed payment', () => {
  const timing = timingOf(SPANS, { startMs: 1_000, failed: 3 });
  expect(timing).toMatchObject({ settled: 100, failed: 3, seconds: 5, perSecond: 20, p50Ms: 1_500, p99Ms: 5_000 });
  // The middle leaves out the first second and the straggler.
  expect(timing.middlePerSecond).toBeCloseTo(100);
});

test('a payment that is completed after its answer prolongs the run', () => {
  expect(timingOf(SPANS, { startMs: 1_000, lastMs: 11_000, failed: 0 })).toMatchObject({ seconds: 10, perSecond: 10 });
});

test('spans begin with the first request', () => {
  expect(timingOf(SPANS, { startMs: 1_000, failed: 0 }).spans.at(-1)).toEqual([0, 5_000]);
});

test('a run without a payment has no rate', () => {
  expect(timingOf([], { startMs: 1_000, failed: 5 })).toMatchObject({ settled: 0, failed: 5, perSecond: 0 });
});

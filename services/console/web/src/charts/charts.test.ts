import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundsOf, RANGE_NAMES, RANGES, slotsOf } from './range.ts';
import { axisOf, labelled, nearest, runsOf } from './scale.ts';

test('an axis has at most five lines at round values, and its top is not below the largest value', () => {
  expect(axisOf(97)).toEqual({ top: 100, lines: [0, 50, 100] });
  expect(axisOf(3)).toEqual({ top: 3, lines: [0, 1, 2, 3] });
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (largest) => {
      const { top, lines } = axisOf(largest);
      expect(top).toBeGreaterThanOrEqual(largest * (1 - 1e-6));
      expect(top).toBeLessThanOrEqual(largest * 2.5);
      expect(lines.length).toBeLessThanOrEqual(5);
    }),
  );
});

test('an axis of nothing is drawn', () => {
  for (const nothing of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(axisOf(nothing).top).toBe(1);
});

test('labels stand so far apart that they do not touch, and each names a point', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 100, max: 2_000 }), (count, width) => {
      const at = labelled(count, width);
      expect(at.length).toBeLessThanOrEqual(Math.max(2, width / 64));
      expect(at.every((index) => index >= 0 && index < count)).toBe(true);
    }),
  );
});

test('a place in the chart is nearest to a point that is there, also outside of it', () => {
  expect([nearest(-5, 100, 10), nearest(0, 100, 10), nearest(55, 100, 10), nearest(500, 100, 10)]).toEqual([
    0, 0, 5, 9,
  ]);
});

test('a line is not drawn over a gap', () => {
  expect(runsOf([1, 2, null, 3, null, null, 4, 0])).toEqual([[0, 1], [3], [6, 7]]);
});

test.each(RANGE_NAMES)('the range of %s is in whole intervals and ends with the running one', (name) => {
  const now = Date.parse('2026-11-17T14:03:22.500Z');
  const { from, to } = boundsOf(name, now);
  const { count, stepMs, interval } = RANGES[name];
  expect(Date.parse(to)).toBeGreaterThan(now);
  expect(Date.parse(to) - now).toBeLessThanOrEqual(stepMs);
  const slots = slotsOf({ from, to, interval, points: [] });
  expect(slots).toHaveLength(count);
  expect(slots.every(({ atMs, point }) => atMs % stepMs === 0 && point === undefined)).toBe(true);
});

import { expect, test } from 'vitest';
import { readDurationMs } from './duration.ts';

test('a time is a number with its unit, or 0', () => {
  expect(['0', '90s', '30m', '24h', '7d'].map(readDurationMs)).toEqual([0, 90_000, 1_800_000, 86_400_000, 604_800_000]);
});

test.each(['', '24', 'h', '-1h', '1.5h', '24 h', '1w', '24H', '99999999d'])('%j is no time', (text) => {
  expect(readDurationMs(text)).toBeUndefined();
});

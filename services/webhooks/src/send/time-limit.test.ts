import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTimeLimits } from './time-limit.ts';

const LONG_MS = 60_000;

test('a time budget ends its own request and no other', async () => {
  const begin = createTimeLimits();
  const { signal } = new AbortController();
  const [short, long] = [begin(5, signal), begin(LONG_MS, signal)];
  const told: string[] = [];
  short.over.addEventListener('abort', () => told.push('short'));
  long.over.addEventListener('abort', () => told.push('long'));
  await expect.poll(() => short.over.aborted).toBe(true);
  expect({ told, long: long.over.aborted }).toEqual({ told: ['short'], long: false });
  long.clear();
});

test('a stop ends every request that is under way, once, and none that has ended', () => {
  const begin = createTimeLimits();
  const stop = new AbortController();
  const limits = Array.from({ length: 3 }, () => begin(LONG_MS, stop.signal));
  const told: number[] = [];
  for (const [index, { over }] of limits.entries()) over.addEventListener('abort', () => told.push(index));
  limits[1]?.clear();
  stop.abort();
  expect(told).toEqual([0, 2]);
  expect(limits.map(({ over }) => over.aborted)).toEqual([true, false, true]);
  const late = begin(LONG_MS, stop.signal);
  expect(late.over.aborted).toBe(true);
  for (const { clear } of [...limits, late]) clear();
});

test('who no longer listens is not told, and a budget that was cleared never ends', async () => {
  const begin = createTimeLimits();
  const stop = new AbortController();
  const [left, cleared] = [begin(LONG_MS, stop.signal), begin(5, stop.signal)];
  const told: string[] = [];
  const listener = () => told.push('left');
  left.over.addEventListener('abort', listener);
  left.over.removeEventListener('abort', listener);
  cleared.clear();
  await sleep(30);
  stop.abort();
  expect({ told, left: left.over.aborted, cleared: cleared.over.aborted }).toEqual({
    told: [],
    left: true,
    cleared: false,
  });
  left.clear();
});

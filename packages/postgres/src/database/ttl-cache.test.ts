import { expect, test } from 'vitest';
import { ttlCache } from './ttl-cache.ts';

test('an answer is remembered until its time is over, and callers at the same time share one question', async () => {
  const time = { nowMs: 0 };
  let asked = 0;
  const find = ttlCache({ nowMs: () => time.nowMs, ttlMs: 1_000 }, async () => ++asked);
  expect(await Promise.all([find(), find()])).toEqual([1, 1]);
  time.nowMs += 999;
  expect(await find()).toBe(1);
  time.nowMs += 1;
  expect(await find()).toBe(2);
});

test('a failure is not remembered', async () => {
  let fails = true;
  const find = ttlCache({ nowMs: () => 0, ttlMs: 1_000 }, async () => {
    if (fails) throw new Error('no database');
    return 'found';
  });
  await expect(find()).rejects.toThrow('no database');
  fails = false;
  expect(await find()).toBe('found');
});

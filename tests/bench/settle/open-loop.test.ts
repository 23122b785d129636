import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { arrivalsIn, dueMs, openLoop } from './open-loop.ts';

const tookOf = (finished: Awaited<ReturnType<typeof openLoop<number, number>>>) =>
  finished.toSorted((one, other) => one.answer - other.answer).map(({ startMs, endMs }) => endMs - startMs);

test('arrivals are due at an even distance', () => {
  expect([0, 1, 2, 250].map((index) => dueMs(index, 250))).toEqual([0, 4, 8, 1_000]);
  expect(arrivalsIn(3_000, 20)).toBe(60);
  expect(arrivalsIn(10, 20)).toBe(1);
});

test('a request that waits for the answer of another has waited since it was due', async () => {
  // One at a time, each takes five times the distance between two: the last is due after 90 ms and begins after 450.
  const works = Array.from({ length: 10 }, (_, index) => index);
  const finished = await openLoop(works, 100, 1, async (work) => {
    await sleep(50);
    return work;
  });
  const tookMs = tookOf(finished);
  expect(tookMs).toHaveLength(10);
  for (const [index, took] of tookMs.entries()) {
    // A timer may fire a millisecond early.
    expect(took).toBeGreaterThanOrEqual(49 * (index + 1) - dueMs(index, 100));
  }
});

test('a single slow answer is counted in everybody who was due behind it', async () => {
  const works = Array.from({ length: 20 }, (_, index) => index);
  const finished = await openLoop(works, 200, 1, async (work) => {
    if (work === 0) await sleep(200);
    return work;
  });
  const late = tookOf(finished).filter((took) => took > 90);
  // Due at 0, 5, 10 … 95 ms, and nobody begins before 200.
  expect(late).toHaveLength(20);
});

test('requests are sent when they are due while there are connections, and each has one of its own', async () => {
  const works = Array.from({ length: 30 }, (_, index) => index);
  const busy = new Set<number>();
  let most = 0;
  await openLoop(works, 1_000, 8, async (_, slot) => {
    expect(slot).toBeLessThan(8);
    expect(busy.has(slot)).toBe(false);
    busy.add(slot);
    most = Math.max(most, busy.size);
    await sleep(20);
    busy.delete(slot);
  });
  expect(most).toBe(8);
});

test('a request that throws ends the loop', async () => {
  const failing = openLoop([1, 2], 1_000, 2, async () => {
    throw new Error('no answer');
  });
  await expect(failing).rejects.toThrow('no answer');
});

import { expect, test } from 'vitest';
import { createRequestQueue, type Leave } from './request-queue.ts';

/** A process that answers `perSecond` requests a second, in their order. */
function createProcess({ perSecond, limitMs = 10_000 }: { readonly perSecond: number; readonly limitMs?: number }) {
  const time = { nowMs: 0, aside: 0, begun: 0 };
  const aside = { count: () => time.aside, begun: () => time.begun };
  const queue = createRequestQueue({ limitMs, aside, nowMs: () => time.nowMs });
  const inside: { readonly leave: Leave; readonly enteredMs: number }[] = [];
  let refused = 0;
  let longestMs = 0;
  return {
    queue,
    time,
    arrive: (count: number) => {
      for (let number = 0; number < count; number += 1) {
        if (queue.isFull()) refused += 1;
        else inside.push({ leave: queue.enter(), enteredMs: time.nowMs });
      }
    },
    work: (ms: number, pace = perSecond) => {
      time.nowMs += ms;
      for (const { leave, enteredMs } of inside.splice(0, Math.round((pace * ms) / 1_000))) {
        longestMs = Math.max(longestMs, time.nowMs - enteredMs);
        leave(true);
      }
    },
    refused: () => refused,
    longestMs: () => longestMs,
  };
}

test('a process takes 2,048 requests at once that it can answer in time, from rest', () => {
  const { arrive, work, refused } = createProcess({ perSecond: 500 });
  arrive(2_048);
  for (let step = 0; step < 200; step += 1) {
    work(50);
    arrive(25);
  }
  expect(refused()).toBe(0);
});

test('with twice the requests that a process can answer, about half are refused and no other waits much longer than the limit', () => {
  const { arrive, work, refused, longestMs } = createProcess({ perSecond: 100, limitMs: 5_000 });
  for (let step = 0; step < 1_200; step += 1) {
    arrive(10);
    work(50);
  }
  expect(refused() / 12_000).toBeGreaterThan(0.4);
  expect(refused() / 12_000).toBeLessThan(0.5);
  expect(longestMs()).toBeLessThan(6_000);
});

test('a process that stands still for two seconds refuses nobody, one that stands still for long refuses all but a few', () => {
  const { arrive, work, refused } = createProcess({ perSecond: 1_000 });
  arrive(1_500);
  for (let step = 0; step < 40; step += 1) {
    arrive(50);
    work(50);
  }
  for (let step = 0; step < 40; step += 1) {
    arrive(10);
    work(50, 0);
  }
  expect(refused()).toBe(0);
  for (let step = 0; step < 1_200; step += 1) {
    arrive(10);
    work(50, 0);
  }
  expect(refused()).toBeGreaterThan(8_000);
  // It takes requests again when it has caught up.
  work(60_000);
  const before = refused();
  arrive(500);
  expect(refused()).toBe(before);
});

test('requests that wait for the chain take no place, and memory has an end', () => {
  const { arrive, time, queue, refused } = createProcess({ perSecond: 0 });
  arrive(9_000);
  time.aside = 9_000;
  expect(queue.length()).toBe(0);
  arrive(10_500);
  expect([queue.length(), refused()]).toEqual([10_000, 500]);
});

test('a burst whose requests are all done late, side by side, is taken', () => {
  const { arrive, work, time, refused } = createProcess({ perSecond: 1_000 });
  arrive(1_900);
  for (let step = 0; step < 60; step += 1) {
    work(50, 0);
    arrive(2);
  }
  time.begun += 1_900;
  time.aside += 1_900;
  arrive(100);
  expect(refused()).toBe(0);
});

test('payments that begin to wait for the chain are pace: a process that claims in time refuses nobody before the first answer', () => {
  const { arrive, time, refused } = createProcess({ perSecond: 0 });
  arrive(2_048);
  for (let step = 0; step < 120; step += 1) {
    time.nowMs += 50;
    time.aside += 15;
    time.begun += 15;
    arrive(5);
  }
  expect(refused()).toBe(0);
});

test('a request leaves once', () => {
  const { queue } = createProcess({ perSecond: 1 });
  const leave = queue.enter();
  queue.enter();
  leave(true);
  leave(true);
  expect(queue.length()).toBe(1);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTokenBucket } from './token-bucket.ts';

test('a quiet client may send one second at once, and no more', () => {
  const bucket = createTokenBucket(10);
  const taken = Array.from({ length: 30 }, () => bucket.take('a', 25, 1_000));
  expect(taken.filter(({ allowed }) => allowed)).toHaveLength(25);
  expect(taken[0]).toEqual({ allowed: true, remaining: 24, retryAfterMs: 0 });
  expect(taken[24]).toEqual({ allowed: true, remaining: 0, retryAfterMs: 0 });
  expect(taken[25]).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: expect.closeTo(40, 3) });
});

test('whoever waits as long as told is served', () => {
  const bucket = createTokenBucket(10);
  for (let count = 0; count < 7; count += 1) bucket.take('a', 7, 5_000);
  const { retryAfterMs } = bucket.take('a', 7, 5_000);
  expect(bucket.take('a', 7, 5_000 + retryAfterMs - 1).allowed).toBe(false);
  expect(bucket.take('a', 7, 5_000 + retryAfterMs).allowed).toBe(true);
});

test('in any stretch of time no more pass than its seconds and one allow', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 400 }),
      (perSecond, pausesMs) => {
        const bucket = createTokenBucket(10);
        const passed: number[] = [];
        let nowMs = 1_000_000;
        for (const pauseMs of pausesMs) {
          nowMs += pauseMs;
          if (bucket.take('a', perSecond, nowMs).allowed) passed.push(nowMs);
        }
        for (const [index, startMs] of passed.entries()) {
          const stretchMs = (passed.at(-1) ?? startMs) - startMs;
          expect(passed.length - index).toBeLessThanOrEqual(perSecond * (1 + stretchMs / 1_000) + 0.001);
        }
      },
    ),
  );
});

test('one client does not count against another', () => {
  const bucket = createTokenBucket(10);
  expect(bucket.take('a', 1, 0).allowed).toBe(true);
  expect(bucket.take('a', 1, 0).allowed).toBe(false);
  expect(bucket.take('b', 1, 0).allowed).toBe(true);
});

test('the memory it takes is bounded, and the busy are not forgotten', () => {
  const bucket = createTokenBucket(3);
  for (const name of ['b', 'c', 'busy']) bucket.take(name, 1, 0);
  for (let count = 0; count < 1_000; count += 1) {
    bucket.take(`flood-${count}`, 1, 0);
    expect(bucket.take('busy', 1, 0).allowed).toBe(false);
  }
});

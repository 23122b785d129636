import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChunkHolder, chunkSize, createChunkHolder } from './chunk-holder.ts';
import { grantChunk } from './grant-chunk.ts';
import type { Quota } from './quota.ts';

const ROUND_MS = 250;
const QUOTA: Quota = { size: 100, windowMs: 1_000 };

/** Processes that share one bucket. Only the test moves the clock; a round happens when the test says so. */
function processes(count: number) {
  let fullAtMs = 0;
  let nowMs = 1_000_000;
  const holders = Array.from({ length: count }, () => createChunkHolder({ maxNames: 100, roundMs: ROUND_MS }));
  const round = (holder: ChunkHolder, live = count) => {
    const asks = holder.draft(nowMs);
    const grants = asks.map((ask) => {
      const grant = grantChunk(fullAtMs - nowMs, ask);
      fullAtMs = nowMs + grant.fullInMs;
      return grant;
    });
    holder.apply(asks, { grants, live }, nowMs);
  };
  for (const holder of holders) round(holder);
  /** As a request does: takes, and if only a round can tell, waits for one. */
  const ask = (holder: ChunkHolder): boolean => {
    for (let tries = 0; tries < 2; tries += 1) {
      const { outcome } = holder.take('a', QUOTA, 1, nowMs);
      if (outcome !== 'ask') return outcome === 'taken';
      if (holder.isUrgent()) round(holder);
      holder.stopWaiting('a', 1);
    }
    return false;
  };
  return { holders, round, ask, wait: (ms: number) => void (nowMs += ms), now: () => nowMs };
}

test.each([1, 3, 10])('a flood on %i processes passes one quota a second, and one at its beginning', (count) => {
  const { holders, round, ask, wait } = processes(count);
  let passed = 0;
  const seconds = 10;
  for (let ms = 0; ms < seconds * 1_000; ms += 5) {
    for (const [index, holder] of holders.entries()) {
      for (let each = 0; each < 3; each += 1) if (ask(holder)) passed += 1;
      if ((ms + index * 5) % ROUND_MS === 0) round(holder);
    }
    wait(5);
  }
  expect(passed / (QUOTA.size * (seconds + 1))).toBeGreaterThan(0.9);
  expect(passed / (QUOTA.size * (seconds + 1))).toBeLessThan(1.1);
});

test('a burst on all processes at once passes one quota, also before any of them has leased anything', () => {
  const { holders, ask } = processes(4);
  let passed = 0;
  for (let each = 0; each < 200; each += 1) for (const holder of holders) if (ask(holder)) passed += 1;
  expect(passed).toBe(QUOTA.size);
});

test('one process of four can use the whole quota', () => {
  const { holders, round, ask, wait } = processes(4);
  const [holder] = holders as [ChunkHolder];
  let refused = 0;
  for (let ms = 0; ms < 5_000; ms += 50) {
    for (let each = 0; each < 4; each += 1) if (!ask(holder)) refused += 1;
    if (ms % ROUND_MS === 0) round(holder);
    wait(50);
  }
  expect(refused).toBe(0);
});

test('a process that dies takes at most a chunk with it, and the others soon have the whole quota', () => {
  const { holders, round, ask, wait, now } = processes(2);
  const [dying, other] = holders as [ChunkHolder, ChunkHolder];
  // Both are busy, so both hold a chunk.
  for (let ms = 0; ms < 2_000; ms += 10) {
    for (const holder of holders) {
      ask(holder);
      if (ms % ROUND_MS === 0) round(holder);
    }
    wait(10);
  }
  expect(dying.draft(now()).length).toBe(1);
  let passed = 0;
  const start = now();
  while (now() - start < 4_000) {
    for (let each = 0; each < 5; each += 1) if (ask(other)) passed += 1;
    if ((now() - start) % ROUND_MS === 0) round(other, 1);
    wait(10);
  }
  expect(passed).toBeGreaterThanOrEqual(QUOTA.size * 4 - chunkSize(QUOTA, 1_000));
  expect(passed).toBeLessThanOrEqual(QUOTA.size * 5);
});

test('while the database does not answer, each process passes its share and no more', () => {
  const { holders, now, wait } = processes(4);
  let passed = 0;
  for (const holder of holders) holder.setLate(true, now());
  for (let ms = 0; ms < 10_000; ms += 10) {
    for (const holder of holders) {
      const taken = holder.take('a', QUOTA, 1, now());
      expect(taken.outcome).not.toBe('ask');
      if (taken.outcome === 'taken') passed += 1;
      else expect(taken.retryAfterMs).toBeGreaterThan(0);
    }
    wait(10);
  }
  expect(passed / (QUOTA.size * 11)).toBeGreaterThan(0.9);
  expect(passed / (QUOTA.size * 11)).toBeLessThan(1.1);
});

test('what was used while the database did not answer is charged afterwards', () => {
  const { holders, round, now, ask } = processes(1);
  const [holder] = holders as [ChunkHolder];
  holder.setLate(true, now());
  for (let each = 0; each < 60; each += 1) holder.take('a', QUOTA, 1, now());
  holder.giveUp(holder.draft(now()));
  holder.setLate(false, now());
  round(holder);
  let passed = 0;
  for (let each = 0; each < 200; each += 1) if (ask(holder)) passed += 1;
  expect(passed).toBe(40);
});

test('what is left is that of the installation, not of the process', () => {
  const { holders, round, now } = processes(2);
  const [one, other] = holders as [ChunkHolder, ChunkHolder];
  expect(one.take('a', QUOTA, 1, now()).remaining).toBe(99);
  for (let each = 0; each < 30; each += 1) other.take('a', QUOTA, 1, now());
  round(other);
  round(one);
  const { remaining } = one.take('a', QUOTA, 1, now());
  expect(remaining).toBeGreaterThan(40);
  expect(remaining).toBeLessThanOrEqual(100 - 32);
});

test('an unused chunk is returned, and a name that is not used any more is forgotten', () => {
  const { holders, round, ask, wait, now } = processes(1);
  const [holder] = holders as [ChunkHolder];
  for (let each = 0; each < 150; each += 1) ask(holder);
  wait(ROUND_MS);
  round(holder);
  wait(ROUND_MS);
  round(holder);
  expect(holder.draft(now())).toEqual([]);
  wait(2_000);
  holder.draft(now());
  expect(holder.names()).toBe(0);
});

test('memory is bounded: of too many names those used longest ago are forgotten', () => {
  const holder = createChunkHolder({ maxNames: 3, roundMs: ROUND_MS });
  for (let count = 0; count < 1_000; count += 1) {
    holder.take(`flood-${count}`, { size: 1, windowMs: 1_000 }, 1, 0);
    const { outcome } = holder.take('busy', { size: 1, windowMs: 1_000 }, 1, 0);
    expect(outcome === 'taken').toBe(count === 0);
  }
  expect(holder.names()).toBe(3);
});

test('a flood of names is told in several rounds', () => {
  const holder = createChunkHolder({ maxNames: 100_000, roundMs: ROUND_MS });
  for (let count = 0; count < 12_000; count += 1) holder.take(`flood-${count}`, QUOTA, 1, 0);
  expect([1, 2, 3, 4].map(() => holder.draft(0).length)).toEqual([5_000, 5_000, 2_000, 0]);
});

test('whatever was asked, a bucket grants no more than its size and its refill', () => {
  const step = fc.record({
    pauseMs: fc.integer({ min: 0, max: 400 }),
    charge: fc.integer({ min: 0, max: 20 }),
    wanted: fc.integer({ min: 0, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 100 }), (steps) => {
      let fullInMs = 0;
      let used = 0;
      let elapsedMs = 0;
      for (const { pauseMs, charge, wanted } of steps) {
        elapsedMs += pauseMs;
        const grant = grantChunk(fullInMs - pauseMs, { name: 'a', quota: QUOTA, charge, wanted });
        ({ fullInMs } = grant);
        used += grant.granted;
        expect(grant.granted).toBeLessThanOrEqual(wanted);
      }
      expect(used).toBeLessThanOrEqual(QUOTA.size * (1 + elapsedMs / 1_000) + 1);
    }),
  );
});

import type { LeaseAnswer, QuotaBucket, QuotaStore } from '@svc-pay/core';
import { createMemoryQuotas } from '@svc-pay/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createStreamSlots } from '../stream/stream-slots.ts';
import { createQuotaRounds } from './quota-rounds.ts';

const BUCKET: QuotaBucket = {
  scope: 'key',
  class: 'reads',
  name: 'key/reads/a',
  quota: { size: 100, windowMs: 1_000 },
};

/** Rounds of three live processes over a database that the test can stop. `running`: the clock of the quotas runs. */
async function world({ running = false } = {}) {
  let setMs = 1_000_000;
  const clock = () => setMs + (running ? performance.now() : 0);
  const quotas = createMemoryQuotas(clock);
  for (const other of ['two', 'three']) await quotas.open(other).lease({ asks: [], streams: [], watched: [] });
  const database = quotas.open('one');
  const said: string[] = [];
  const made = { leases: 0, expiries: 0 };
  let stuck: PromiseWithResolvers<void> | undefined;
  let failing = false;
  const store: QuotaStore = {
    ...database,
    expire: async () => {
      made.expiries += 1;
      await database.expire();
    },
    lease: async (round): Promise<LeaseAnswer> => {
      made.leases += 1;
      await stuck?.promise;
      if (failing) throw new Error('gone');
      return database.lease(round);
    },
  };
  const rounds = createQuotaRounds({
    store,
    streams: createStreamSlots({ max: 0, perAddress: 0, perKey: 0, perAccount: 0, perIntent: 0 }),
    nowMs: clock,
    onLate: () => said.push('late'),
    onTime: () => said.push('on time'),
    onProblem: () => said.push('problem'),
    lateMs: 50,
    reportAfterMs: 0,
  });
  await rounds.start();
  onTestFinished(async () => {
    stuck?.resolve();
    await rounds.stop();
  });
  const passedOf = async (count: number) => {
    const taken = await Promise.all(Array.from({ length: count }, async () => rounds.take(BUCKET, 1)));
    return taken.filter(({ outcome }) => outcome === 'taken').length;
  };
  return {
    rounds,
    said,
    made,
    liveSeenBy: async (other: string) => (await quotas.open(other).lease({ asks: [], streams: [], watched: [] })).live,
    passedOf,
    wait: (ms: number) => void (setMs += ms),
    stick: () => {
      stuck = Promise.withResolvers();
    },
    unstick: () => {
      stuck?.resolve();
      stuck = undefined;
    },
    fail: (fails: boolean) => {
      failing = fails;
    },
  };
}

test('a burst on one of three processes passes a whole quota: requests beyond its share wait for a round', async () => {
  const { passedOf, rounds } = await world({ running: true });
  expect(rounds.liveProcesses()).toBe(3);
  const startMs = performance.now();
  expect(rounds.take(BUCKET, 1)).toMatchObject({ outcome: 'taken', remaining: 99 });
  expect(await passedOf(99)).toBe(99);
  const more = await passedOf(90);
  expect(more).toBeLessThanOrEqual((performance.now() - startMs) / 10 + 1);
});

test('with a database that does not answer the process goes on with its share, and says so', async () => {
  const { rounds, said, passedOf, wait, stick, unstick } = await world();
  stick();
  expect(await passedOf(60)).toBe(33);
  await expect.poll(() => said, { interval: 5 }).toEqual(['late']);
  expect(rounds.isLate()).toBe(true);
  let passed = 0;
  for (let second = 0; second < 5; second += 1) {
    wait(1_000);
    passed += await passedOf(100);
  }
  expect(passed).toBe(5 * 33);
  unstick();
  await expect.poll(() => rounds.isLate(), { interval: 10 }).toBe(false);
  expect(said).toEqual(['late', 'on time']);
});

test('a database that fails is late at once, and what was used meanwhile is charged when it answers', async () => {
  const { rounds, passedOf, wait, fail } = await world();
  fail(true);
  expect(await passedOf(1)).toBe(1);
  await expect.poll(() => rounds.isLate(), { interval: 5 }).toBe(true);
  expect(await passedOf(60)).toBe(32);
  fail(false);
  await expect.poll(() => rounds.isLate(), { interval: 5 }).toBe(false);
  // A quarter of a second adds 25 to the 67 that are left.
  wait(250);
  expect(await passedOf(100)).toBe(92);
});

test('a process that nobody asks anything leases every few seconds, and others count it as alive all the time', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { made, liveSeenBy, wait, passedOf } = await world();
  for (const key of ['leases', 'expiries'] as const) made[key] = 0;
  for (let tenths = 0; tenths < 600; tenths += 1) {
    wait(100);
    await vi.advanceTimersByTimeAsync(100);
    expect(await liveSeenBy('two')).toBeGreaterThanOrEqual(2);
  }
  expect(made.leases).toBeGreaterThanOrEqual(20);
  expect(made.leases).toBeLessThanOrEqual(24);
  expect(made.expiries).toBeLessThanOrEqual(1);
  const before = made.leases;
  expect(await passedOf(1)).toBe(1);
  await vi.advanceTimersByTimeAsync(250);
  expect(made.leases).toBe(before + 1);
});

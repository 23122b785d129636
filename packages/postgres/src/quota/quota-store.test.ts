import { type ChunkAsk, grantChunk, type LeaseRound, type Quota } from '@svc-pay/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createQuotaStore } from './quota-store.ts';

const { pool } = await createTestDatabase();
const QUOTA: Quota = { size: 100, windowMs: 1_000 };
let nowMs = 1_800_000_000_000;
let names = 0;
const newName = () => `key/reads/${(names += 1)}`;
const open = (process: string) => createQuotaStore(pool, { process, nowMs: () => nowMs });
const ask = (name: string, wanted: number, charge = 0): ChunkAsk => ({ name, quota: QUOTA, wanted, charge });
const round = (asks: readonly ChunkAsk[], rest: Partial<LeaseRound> = {}): LeaseRound => ({
  asks,
  streams: [],
  watched: [],
  ...rest,
});

test('the statement grants what the rule grants, whatever is asked', async () => {
  const step = fc.record({
    pauseMs: fc.integer({ min: 0, max: 700 }),
    charge: fc.integer({ min: -30, max: 150 }),
    wanted: fc.integer({ min: 0, max: 150 }),
    size: fc.constantFrom(3, 7, 100),
  });
  const store = open('rule');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const name = newName();
      let fullInMs = 0;
      for (const { pauseMs, size, ...asked } of steps) {
        nowMs += pauseMs;
        const one = { name, quota: { ...QUOTA, size }, ...asked };
        const { grants } = await store.lease(round([one]));
        // The statement stores times with a precision of a quarter of a microsecond: at the edge of one more both are right.
        const either = [0, -0.01, 0.01].map((offMs) => grantChunk(fullInMs - pauseMs + offMs, one));
        const expected = either.find(({ granted }) => granted === grants[0]?.granted) ?? either[0];
        expect(grants).toEqual([
          { name, granted: expected?.granted, fullInMs: expect.closeTo(expected?.fullInMs ?? 0, 1) },
        ]);
        // Goes on from the stored time, so that roundings of several steps do not add up.
        fullInMs = grants[0]?.fullInMs ?? 0;
      }
    }),
    { numRuns: 25 },
  );
});

test('ten processes that ask for many buckets at once, in any order, get each quota once', async () => {
  const buckets = Array.from({ length: 20 }, newName);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => {
      const inOrder = index % 2 === 0 ? buckets : buckets.toReversed();
      return open(`p${index}`).lease(round(inOrder.map((name) => ask(name, 25))));
    }),
  );
  for (const name of buckets) {
    const granted = answers.map(({ grants }) => grants.find((grant) => grant.name === name)?.granted ?? 0);
    expect(granted.reduce((sum, one) => sum + one, 0)).toBe(100);
  }
});

test('each process knows how many are alive, and one that is silent for five seconds is not', async () => {
  nowMs += 10_000;
  const [one, other] = [open('alive-1'), open('alive-2')];
  expect((await one.lease(round([]))).live).toBe(1);
  expect((await other.lease(round([]))).live).toBe(2);
  expect((await one.lease(round([]))).live).toBe(2);
  nowMs += 6_000;
  expect((await one.lease(round([]))).live).toBe(1);
  await one.leave();
  expect((await other.lease(round([]))).live).toBe(1);
});

test('streams of the other live processes are summed, and those of one that is gone are not', async () => {
  nowMs += 10_000;
  const [one, other, third] = [open('streams-1'), open('streams-2'), open('streams-3')];
  await one.lease(round([], { streams: [{ name: 'address:a', open: 4 }] }));
  await other.lease(round([], { streams: [{ name: 'address:a', open: 3 }] }));
  const watched = ['address:a', 'address:b'];
  expect((await third.lease(round([], { watched }))).elsewhere).toEqual(new Map([['address:a', 7]]));
  await one.lease(round([], { streams: [{ name: 'address:a', open: 0 }] }));
  expect((await third.lease(round([], { watched }))).elsewhere).toEqual(new Map([['address:a', 3]]));
  nowMs += 6_000;
  expect((await third.lease(round([], { watched }))).elsewhere).toEqual(new Map());
});

test('full buckets and processes that are gone leave the tables', async () => {
  nowMs += 10_000;
  const store = open('expiring');
  const [used, debt] = [newName(), newName()];
  await store.lease(round([ask(used, 50), ask(debt, 0, 500)], { streams: [{ name: 'address:z', open: 1 }] }));
  nowMs += 1_700;
  await open('other').expire();
  const left = await pool.query('select name from svc.quota_buckets');
  expect(left.rows).toEqual([{ name: debt }]);
  nowMs += 70_000;
  await open('other').expire();
  for (const table of ['quota_buckets', 'quota_processes', 'quota_streams'])
    expect((await pool.query(`select from svc.${table}`)).rowCount).toBe(0);
});

test('without a clock of the test the database says how late it is', async () => {
  const store = createQuotaStore(pool, { process: 'real' });
  const name = newName();
  const first = await store.lease(round([ask(name, 100)]));
  expect(first.grants[0]).toMatchObject({ granted: 100, fullInMs: expect.closeTo(1_000, 0) });
  await expect.poll(async () => (await store.lease(round([ask(name, 5)]))).grants[0]?.granted).toBe(5);
});

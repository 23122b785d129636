import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLookout } from './lookout.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const REST_MS = 60_000;

const CALM = { everyMs: 5_000, afterMs: 3_000 };

function world({ isCalmAllowed = false } = {}) {
  const state = { open: new Set<string>(), looks: 0, fails: false };
  const problems: unknown[] = [];
  const lookout = createLookout<ReadonlySet<string>>({
    look: async () => {
      state.looks += 1;
      if (state.fails) throw new Error('no database');
      return new Set(state.open);
    },
    everyMs: 1_000,
    ...(isCalmAllowed && { calm: { ...CALM, isBusy: (seen) => seen.size > 0 } }),
    onProblem: (problem) => void problems.push(problem),
  });
  const woken: string[] = [];
  const rest = (name: string) => ({
    name,
    rest: lookout.rest(REST_MS, (seen) => seen.has(name)),
    wake: async () => void woken.push(name),
  });
  return { state, problems, lookout, woken, rest };
}

test('a look wakes the jobs that it found work for within its interval, each once, and no other', async () => {
  const { state, woken, rest } = world();
  const [held, refunds] = [rest('held'), rest('refunds')];
  held.rest.begin(held.wake);
  refunds.rest.begin(refunds.wake);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(woken).toEqual([]);
  state.open.add('refunds');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(woken).toEqual(['refunds']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(woken).toEqual(['refunds']);
});

test('one look serves all jobs, and nobody looks while none rests', async () => {
  const { state, rest } = world();
  const jobs = Array.from({ length: 20 }, (_, index) => rest(String(index)));
  for (const job of jobs) job.rest.begin(job.wake);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(state.looks).toBe(10);
  for (const job of jobs) job.rest.end();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(state.looks).toBeLessThanOrEqual(11);
});

test('a job that could not be woken is woken by the next look', async () => {
  const { state, problems, rest } = world();
  const { rest: held } = rest('held');
  let tries = 0;
  held.begin(async () => {
    tries += 1;
    if (tries < 3) throw new Error('no engine');
  });
  state.open.add('held');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(tries).toBe(3);
  expect(problems).toHaveLength(2);
});

test('a job begins no rest while its work is open, or while the look fails', async () => {
  const { state, problems, rest } = world();
  const { rest: held } = rest('held');
  expect(await held.mayBegin()).toBe(true);
  state.open.add('held');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await held.mayBegin()).toBe(false);
  state.open.clear();
  state.fails = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await held.mayBegin()).toBe(false);
  expect(problems).toHaveLength(1);
});

test('looks go on when one fails, and work of that time is found by the next', async () => {
  const { state, woken, rest } = world();
  const held = rest('held');
  held.rest.begin(held.wake);
  state.fails = true;
  state.open.add('held');
  await vi.advanceTimersByTimeAsync(3_000);
  expect(woken).toEqual([]);
  state.fails = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(woken).toEqual(['held']);
});

test('a job that another process runs meanwhile is not woken from here for ever', async () => {
  const { state, woken, rest } = world();
  const held = rest('held');
  held.rest.begin(held.wake);
  await vi.advanceTimersByTimeAsync(2 * REST_MS + 2_000);
  state.open.add('held');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(woken).toEqual([]);
});

test('a lookout that is stopped looks no more and wakes nobody', async () => {
  const { state, woken, lookout, rest } = world();
  const held = rest('held');
  held.rest.begin(held.wake);
  await lookout.stop();
  state.open.add('held');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(woken).toEqual([]);
  expect(state.looks).toBe(0);
});

/** A lookout that has found nothing for a while, right after a look. */
async function calmWorld() {
  const made = world({ isCalmAllowed: true });
  const held = made.rest('held');
  held.rest.begin(held.wake);
  await vi.advanceTimersByTimeAsync(CALM.afterMs + CALM.everyMs);
  for (const looks = made.state.looks; made.state.looks === looks; ) await vi.advanceTimersByTimeAsync(100);
  return made;
}

test('looks that find nothing for a while become seldom, and work is found by the next of them', async () => {
  const { state, woken } = await calmWorld();
  const before = state.looks;
  await vi.advanceTimersByTimeAsync(10 * CALM.everyMs);
  expect(state.looks - before).toBe(10);
  state.open.add('held');
  await vi.advanceTimersByTimeAsync(CALM.everyMs);
  expect(woken).toEqual(['held']);
});

test('a lookout that is told of work looks at once, however seldom it looked', async () => {
  const { state, woken, lookout } = await calmWorld();
  await vi.advanceTimersByTimeAsync(2_000);
  state.open.add('held');
  lookout.lookSoon();
  await vi.advanceTimersByTimeAsync(1);
  expect(woken).toEqual(['held']);
});

test('a lookout that is told of work all the time looks no more often than while it is busy', async () => {
  const { state, lookout } = await calmWorld();
  const before = state.looks;
  for (let told = 0; told < 100; told += 1) {
    lookout.lookSoon();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(state.looks - before).toBe(10);
});

test('looks are as frequent as ever after one that found work, after one that failed, and after somebody told of work', async () => {
  for (const stir of ['find', 'fail', 'tell']) {
    const { state, lookout, rest } = await calmWorld();
    // Rests on, whatever is found: the pace is about looks.
    const other = rest('other');
    other.rest.begin(other.wake);
    if (stir === 'find') state.open.add('held');
    if (stir === 'fail') state.fails = true;
    if (stir === 'tell') lookout.lookSoon();
    await vi.advanceTimersByTimeAsync(stir === 'tell' ? 1_000 : CALM.everyMs);
    state.fails = false;
    state.open.clear();
    const before = state.looks;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(state.looks - before, stir).toBe(2);
    await lookout.stop();
  }
});

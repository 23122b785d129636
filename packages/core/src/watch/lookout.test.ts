import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLookout } from './lookout.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const REST_MS = 60_000;

function world() {
  const state = { open: new Set<string>(), looks: 0, fails: false };
  const problems: unknown[] = [];
  const lookout = createLookout<ReadonlySet<string>>({
    look: async () => {
      state.looks += 1;
      if (state.fails) throw new Error('no database');
      return new Set(state.open);
    },
    everyMs: 1_000,
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

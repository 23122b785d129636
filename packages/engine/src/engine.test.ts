import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PeriodicJob } from '@svc-pay/core';
import { afterEach, describe, expect, test } from 'vitest';
import { createWakeDrain, type Drain, type EngineWork, serveEngineWork } from './index.ts';
import { freePorts, type RestateServer, startRestate } from './server/start-restate.ts';
import { createHastenJob } from './wake.ts';

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function until(met: () => boolean, seconds = 20): Promise<void> {
  const startMs = performance.now();
  while (!met()) {
    if (performance.now() - startMs > seconds * 1_000) throw new Error('it never happened');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A queue outside of the engine, in place of the database: numbers that are worked off under a fence. */
function queueOf(count: number, stepMs = 5) {
  const todo = Array.from({ length: count }, (_, index) => index);
  const done: number[] = [];
  let fence = 0;
  let running = 0;
  let most = 0;
  const drain: Drain = {
    name: 'numbers',
    fence: async () => String(++fence),
    step: async (_, held) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, stepMs));
      running -= 1;
      // A drain that lost its fence writes nothing.
      if (held !== String(fence)) return 'idle';
      const next = todo.shift();
      if (next !== undefined) done.push(next);
      return todo.length === 0 ? 'idle' : 'now';
    },
  };
  return { drain, done, todo, fences: () => fence, mostAtOnce: () => most };
}

type WorldOptions = { readonly alwaysReplay?: boolean; readonly keepRegistered?: boolean };

async function world(drain: Drain, { keepRegistered = false, ...options }: WorldOptions = {}) {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'svc-restate-'));
  const ports = await freePorts();
  const start = () => startRestate({ dataDirectory, ports, ...options });
  let server: RestateServer = await start();
  const works: EngineWork[] = [];
  const serve = async (served: Drain, ...others: readonly PeriodicJob[]) => {
    const runs = { count: 0, seldom: 0, atOnce: 0, most: 0 };
    const runSeldom = async () => {
      runs.seldom += 1;
      runs.atOnce += 1;
      runs.most = Math.max(runs.most, runs.atOnce);
      await new Promise((resolve) => setTimeout(resolve, 100));
      runs.atOnce -= 1;
    };
    const work = await serveEngineWork({
      drains: [served],
      jobs: [
        { name: 'heart', everyMs: 50, run: async () => void (runs.count += 1) },
        { name: 'seldom', everyMs: 60_000, run: runSeldom },
        ...others,
      ],
      host: '127.0.0.1',
      port: 0,
      identityKeys: [],
      adminUrls: [server.adminUrl],
      ingressUrls: [server.ingressUrl],
      log: () => {},
    });
    works.push(work);
    await work.register();
    if (keepRegistered) work.keepRegistered();
    return { runs, work };
  };
  cleanUps.push(async () => {
    // Stopped while the engine still runs, so that running work can report its result.
    await Promise.all(works.map((work) => work.stop()));
    await server.stop('SIGKILL');
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  const { runs, work } = await serve(drain);
  return {
    runs,
    work,
    serve,
    hasten: () => createHastenJob([server.ingressUrl])('seldom'),
    wake: () => createWakeDrain([server.ingressUrl])(drain.name, 'eip155:1/0xabc'),
    crash: async ({ loseData }: { loseData: boolean }) => {
      await server.stop('SIGKILL');
      if (loseData) rmSync(dataDirectory, { recursive: true, force: true });
      server = await start();
    },
  };
}

describe.each([false, true])('with replay after every step: %s', (alwaysReplay) => {
  test('a drain empties its queue over several invocations, one at a time', async () => {
    const queue = queueOf(70);
    const { wake } = await world(queue.drain, { alwaysReplay });
    await Promise.all([wake(), wake(), wake()]);
    await until(() => queue.done.length === 70);
    expect(queue.done).toEqual(Array.from({ length: 70 }, (_, index) => index));
    expect(queue.mostAtOnce()).toBe(1);
    expect(queue.fences()).toBeGreaterThanOrEqual(3);
  });
});

test('the engine killed in the middle goes on by itself when it is back', async () => {
  const queue = queueOf(120);
  const { wake, crash } = await world(queue.drain);
  await wake();
  await until(() => queue.done.length >= 20);
  await crash({ loseData: false });
  await until(() => queue.done.length === 120);
  expect(queue.done).toEqual(Array.from({ length: 120 }, (_, index) => index));
});

test('with all its data deleted it needs nothing but to be told and woken again', async () => {
  const queue = queueOf(120);
  const { wake, crash, work } = await world(queue.drain);
  await wake();
  await until(() => queue.done.length >= 20);
  await crash({ loseData: true });
  await work.register();
  await wake();
  await until(() => queue.done.length === 120);
  expect(queue.done).toEqual(Array.from({ length: 120 }, (_, index) => index));
});

test('a process that keeps itself registered runs again after the engine has lost all its data', async () => {
  const queue = queueOf(0);
  const { crash, work, runs } = await world(queue.drain);
  work.keepRegistered();
  await crash({ loseData: true });
  const before = runs.count;
  await until(() => runs.count > before + 3);
  expect(work.isRegistered()).toBe(true);
});

test('a job that is hastened runs before its interval is over, and about once a second however many ask', async () => {
  const { runs, hasten } = await world(queueOf(0).drain);
  await until(() => runs.seldom === 1);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  await Promise.all(Array.from({ length: 20 }, hasten));
  await until(() => runs.seldom === 2);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(runs).toMatchObject({ seldom: 2, most: 1 });
});

test('a periodic job runs on, and starting it twice does not make it run twice', async () => {
  const { runs, work } = await world(queueOf(0).drain);
  await work.register();
  await until(() => runs.count >= 5);
  const before = runs.count;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(runs.count - before).toBeLessThanOrEqual(21);
  expect(runs.count - before).toBeGreaterThan(2);
});

describe('a periodic job that has nothing to do', () => {
  async function restingWorld(restMs: number) {
    let isOpen = true;
    let wakeJob: (() => Promise<void>) | undefined;
    const { serve } = await world(queueOf(0).drain);
    const runs: number[] = [];
    await serve(queueOf(0).drain, {
      name: 'resting',
      everyMs: 1_500,
      run: async () => void runs.push(performance.now()),
      rest: {
        everyMs: restMs,
        mayBegin: async () => !isOpen,
        begin: (wake) => {
          wakeJob = wake;
        },
        end: () => {
          wakeJob = undefined;
        },
      },
    });
    await until(() => runs.length >= 2);
    isOpen = false;
    await until(() => wakeJob !== undefined);
    return { runs, open: () => (isOpen = true), wake: async () => wakeJob?.() };
  }

  test('rests until it is woken, and goes on at its own pace from there', async () => {
    const { runs, wake, open } = await restingWorld(60_000);
    const before = runs.length;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(runs.length).toBe(before);
    open();
    const wokenMs = performance.now();
    await wake();
    await until(() => runs.length > before, 5);
    expect(performance.now() - wokenMs).toBeLessThan(1_000);
    await until(() => runs.length >= before + 4, 10);
  });

  test('runs again after its rest though nothing wakes it, and then finds its work', async () => {
    const { runs, open } = await restingWorld(4_000);
    const before = runs.length;
    open();
    await until(() => runs.length >= before + 3, 12);
    expect((runs[before] ?? 0) - (runs[before - 1] ?? 0)).toBeGreaterThan(2_500);
    expect((runs[before + 1] ?? 0) - (runs[before] ?? 0)).toBeLessThan(2_500);
  });
});

test('a process that stops does not wait for the beats that would have followed', async () => {
  const { runs, work } = await world(queueOf(0).drain);
  await until(() => runs.count >= 3);
  const startMs = performance.now();
  await work.stop();
  expect(performance.now() - startMs).toBeLessThan(2_000);
  const before = runs.count;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(runs.count).toBe(before);
});

test('work that throws is tried again until it succeeds', async () => {
  let tries = 0;
  const { wake } = await world({
    name: 'numbers',
    fence: async () => '1',
    step: async () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
      return 'idle';
    },
  });
  await wake();
  await until(() => tries === 3);
});

test('a process that stops hands its drain over to one that registered after it, within a moment and mid-queue', async () => {
  // Steps of 100 ms make an invocation outlast the shutdown of its process.
  const queue = queueOf(50, 100);
  const by: string[] = [];
  const seenBy = (who: string): Drain => ({
    ...queue.drain,
    step: (key, fence, over) => {
      by.push(who);
      return queue.drain.step(key, fence, over);
    },
  });
  const { work: old, wake, serve } = await world(seenBy('old'));
  await wake();
  await until(() => queue.done.length > 3);
  await serve(seenBy('new'));
  // Running work stays with the process where it began; the work after it goes to the newest process.
  await old.stop();
  const stoppedAtMs = performance.now();
  const done = queue.done.length;
  await until(() => queue.done.length > done + 5, 10);
  expect(performance.now() - stoppedAtMs).toBeLessThan(5_000);
  await until(() => queue.done.length === 50);
  expect(queue.done).toEqual(Array.from({ length: 50 }, (_, index) => index));
  expect(new Set(by)).toEqual(new Set(['old', 'new']));
});

test('work of a process that was cut off is begun anew by another in seconds, not when the engine gives it up', async () => {
  const queue = queueOf(400);
  let cutOff = false;
  const doomed: Drain = {
    ...queue.drain,
    // The step hangs and never returns.
    step: (key, fence, over) => (cutOff ? new Promise(() => {}) : queue.drain.step(key, fence, over)),
  };
  const { work: old, wake, serve } = await world(doomed, { keepRegistered: true });
  await wake();
  await until(() => queue.done.length > 20);
  cutOff = true;
  await serve(queue.drain);
  await old.stop();
  const stoppedAtMs = performance.now();
  await until(() => queue.done.length === 400);
  expect(performance.now() - stoppedAtMs).toBeLessThan(15_000);
});

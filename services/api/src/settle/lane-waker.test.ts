import type { Lane } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createLaneWaker } from './lane-waker.ts';

const network = evmNetwork(31_337);
const lane: Lane = { network, relayer: `0x${'4e'.repeat(20)}` };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function world(change: Partial<Parameters<typeof createLaneWaker>[0]> = {}) {
  const seen: string[] = [];
  let awake = false;
  const waker = createLaneWaker({
    markAwake: async () => {
      seen.push('look');
      if (awake) return [];
      awake = true;
      return [lane];
    },
    markAsleep: async () => {
      seen.push('asleep');
      awake = false;
    },
    wake: async () => void seen.push('wake'),
    pauseMs: 50,
    onProblem: () => seen.push('problem'),
    ...change,
  });
  return { waker, seen };
}

test('a thousand payments at once: one look now, one after, one wake', async () => {
  const { waker, seen } = world();
  for (let count = 0; count < 1_000; count += 1) waker.wakeLanes(network);
  await pause(20);
  for (let count = 0; count < 1_000; count += 1) waker.wakeLanes(network);
  await pause(150);
  expect(seen).toEqual(['look', 'wake', 'look']);
});

test('a payment that comes right after a look is looked for again: nothing is left asleep', async () => {
  const { waker, seen } = world();
  waker.wakeLanes(network);
  await pause(10);
  waker.wakeLanes(network);
  await waker.stop();
  expect(seen.filter((word) => word === 'look')).toHaveLength(2);
});

test('an engine that does not hear leaves the lane marked asleep, so that the next payment tries again', async () => {
  let deaf = true;
  const woken: Lane[] = [];
  const { waker, seen } = world({
    wake: async (asked) => {
      if (deaf) throw new Error('refused');
      woken.push(asked);
    },
  });
  waker.wakeLanes(network);
  await pause(100);
  expect(seen).toEqual(['look', 'problem', 'asleep']);
  deaf = false;
  waker.wakeLanes(network);
  await pause(10);
  expect(woken).toEqual([lane]);
});

test('a database that fails is a problem of the waker’s alone', async () => {
  const { waker, seen } = world({ markAwake: () => Promise.reject(new Error('away')) });
  waker.wakeLanes(network);
  await waker.stop();
  expect(seen).toEqual(['problem']);
  waker.wakeLanes(network);
  await pause(20);
  expect(seen).toEqual(['problem']);
});

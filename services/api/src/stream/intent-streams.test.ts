import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Caller } from '@svc-pay/core';
import { sampleIntent } from '@svc-pay/core/testing';
import { newId } from '@svc-pay/protocol/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { IntentSituation, StatusPorts } from '../ports.ts';
import { createIntentStreams } from './intent-streams.ts';
import { createStreamSlots } from './stream-slots.ts';

const POLL_MS = 1_000;
const caller: Caller = {
  accountId: newId('account', 0),
  keyId: newId('key', 0),
  kind: 'publishable',
  mode: 'test',
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Streams over an in-memory database that counts reads. */
function world() {
  let reads = 0;
  let version = 0;
  const watchers = new Set<() => void>();
  const intent = sampleIntent({ createdWith: 'publishable' });
  const situation = (n: number): IntentSituation => ({
    intent: { ...intent, status: n < 100 ? 'requires_payment' : 'canceled', metadata: { n } },
    payment: null,
  });
  const pending: (() => void)[] = [];
  let slow = false;
  const ports: StatusPorts = {
    loadStatus: async () => {
      reads += 1;
      const read = situation(version);
      const waits = slow;
      slow = false;
      if (waits) await new Promise<void>((resolve) => void pending.push(resolve));
      return read;
    },
    watchIntent: async (_, onChange) => {
      watchers.add(onChange);
      return () => void watchers.delete(onChange);
    },
  };
  const streams = createIntentStreams(ports, {
    heartbeatMs: 3_600_000,
    lifeMs: 3_600_000,
    pollMs: POLL_MS,
    slots: createStreamSlots({ max: 1_000, perAddress: 1_000, perKey: 1_000, perAccount: 1_000, perIntent: 1_000 }),
    onProblem: (problem) => {
      throw problem;
    },
  });
  const intentId = newId('paymentIntent', 0);
  return {
    streams,
    watchers,
    readsDuring: async (work: () => Promise<unknown>) => {
      const before = reads;
      await work();
      return reads - before;
    },
    change: (to: number) => {
      version = to;
      for (const onChange of watchers) onChange();
    },
    slowNextRead: () => void (slow = true),
    answerReads: () => {
      for (const resolve of pending.splice(0)) resolve();
    },
    open: async (id = intentId) => {
      const outcome = await streams.open({ caller, address: '192.0.2.1', intentId: id, lastEventId: undefined });
      if (!outcome.ok || !('stream' in outcome)) throw new Error('refused');
      const written: string[] = [];
      const response = new ServerResponse(new IncomingMessage(new Socket()));
      response.write = (chunk: unknown) => written.push(String(chunk)) > 0;
      outcome.stream(response);
      return {
        response,
        /** Versions that the stream was sent, in order. */
        seen: () =>
          [...written.join('').matchAll(/event: payment_intent_update\ndata: .*"n":(\d+)/g)].map(([, n]) => Number(n)),
      };
    },
  };
}
const flush = () => vi.advanceTimersByTimeAsync(1);

test('fifty streams of one intent cost one read per poll and one per change', async () => {
  const { open, readsDuring, change, streams } = world();
  const opened = [];
  for (let count = 0; count < 50; count += 1) opened.push(await open());
  await flush();
  expect(await readsDuring(() => vi.advanceTimersByTimeAsync(10 * POLL_MS))).toBe(10);
  const afterChange = await readsDuring(async () => {
    change(7);
    await flush();
  });
  expect(afterChange).toBe(1);
  expect(opened.map(({ seen }) => seen().at(-1))).toEqual(opened.map(() => 7));
  streams.endAll();
});

test('streams of two intents are read each for itself', async () => {
  const { open, readsDuring, streams } = world();
  for (const id of [newId('paymentIntent', 1), newId('paymentIntent', 2)]) await open(id);
  await flush();
  expect(await readsDuring(() => vi.advanceTimersByTimeAsync(5 * POLL_MS))).toBe(10);
  streams.endAll();
});

test('when the last stream of an intent has ended nobody reads or watches it any more', async () => {
  const { open, readsDuring, streams, watchers } = world();
  const [first, second] = [await open(), await open()];
  await flush();
  first.response.emit('close');
  expect(await readsDuring(() => vi.advanceTimersByTimeAsync(2 * POLL_MS))).toBe(2);
  second.response.emit('close');
  expect(await readsDuring(() => vi.advanceTimersByTimeAsync(5 * POLL_MS))).toBe(0);
  expect([watchers.size, streams.count()]).toEqual([0, 0]);
});

test('a stream is never told something older than what it began with', async () => {
  const { open, change, slowNextRead, answerReads, streams } = world();
  await open();
  await flush();
  slowNextRead();
  change(1);
  await flush();
  // A read that saw 1 is still running when the intent changes and a second stream begins with 2.
  change(2);
  const second = await open();
  answerReads();
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(second.seen()).toEqual([2]);
  streams.endAll();
});

test('the end of an intent ends all its streams', async () => {
  const { open, change, streams, watchers } = world();
  for (let count = 0; count < 5; count += 1) await open();
  await flush();
  change(100);
  await flush();
  expect([streams.count(), watchers.size]).toEqual([0, 0]);
});

import { afterEach, expect, test, vi } from 'vitest';
import { createDeduplicator } from '../once/deduplicator.ts';
import { createMemoryStore } from '../once/memory-store.ts';
import { body, receiver } from '../testing/adapter-contract.ts';
import { bytesOf, sampleEvent, signed } from '../testing/sample-event.ts';
import { createAnswerDelivery, type WebhookOptions } from './answer-delivery.ts';

afterEach(() => void vi.useRealTimers());
const deduplicator = () => createDeduplicator({ store: createMemoryStore() });
const answering = (options: Omit<WebhookOptions, 'receiver'>) => {
  const { answer } = createAnswerDelivery({ receiver, ...options }, 'node');
  return (bytes: Uint8Array = body) => answer(bytes, signed(bytes));
};

test('the same event again is answered 200 without work', async () => {
  const handle = vi.fn();
  const deliver = answering({ handle, deduplicator: deduplicator() });
  expect(await deliver()).toMatchObject({ status: 200 });
  expect(await deliver()).toMatchObject({ status: 200 });
  expect(handle).toHaveBeenCalledOnce();
});

test('the same event while it is worked on is answered 409, so that the sender comes again', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const deliver = answering({ handle: () => promise, deduplicator: deduplicator() });
  const first = deliver();
  expect(await deliver()).toMatchObject({ status: 409, body: '{"error":"in_progress"}' });
  resolve();
  expect(await first).toMatchObject({ status: 200 });
});

test('an event whose work failed is worked on again at the next delivery', async () => {
  const handle = vi.fn().mockRejectedValueOnce(new Error('no disk'));
  const deliver = answering({ handle, deduplicator: deduplicator() });
  expect(await deliver()).toMatchObject({ status: 500 });
  expect(await deliver()).toMatchObject({ status: 200 });
  expect(handle).toHaveBeenCalledTimes(2);
});

test('events of later releases are remembered by their id too', async () => {
  const handle = vi.fn();
  const deliver = answering({ handle, deduplicator: deduplicator() });
  const later = bytesOf(sampleEvent('payment.sneezed'));
  for (let time = 0; time < 2; time += 1) expect(await deliver(later)).toMatchObject({ status: 200 });
  expect(handle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ known: false }));
});

test('work that takes too long is answered 503 in time, goes on, and is not done twice', async () => {
  vi.useFakeTimers({ now: 0 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const handle = vi.fn(() => promise);
  const deliver = answering({ handle, deduplicator: deduplicator(), answerWithinMs: 4_000 });
  const first = deliver();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await first).toMatchObject({ status: 503, body: '{"error":"still_working"}' });
  expect(await deliver()).toMatchObject({ status: 409 });
  resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(await deliver()).toMatchObject({ status: 200 });
  expect(handle).toHaveBeenCalledOnce();
});

test('work that fails after its answer is still told', async () => {
  vi.useFakeTimers({ now: 0 });
  const { promise, reject } = Promise.withResolvers<void>();
  const onError = vi.fn();
  const first = answering({ handle: () => promise, onError })();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await first).toMatchObject({ status: 503 });
  reject(new Error('no disk'));
  await vi.advanceTimersByTimeAsync(0);
  expect(onError).toHaveBeenCalledOnce();
});

test('no timer is left behind by a quick answer', async () => {
  vi.useFakeTimers({ now: 0 });
  await answering({ handle: () => {} })();
  expect(vi.getTimerCount()).toBe(0);
});

test('a log that throws changes no answer', async () => {
  const loud = () => {
    throw new Error('log is full');
  };
  const failing = answering({ handle: () => Promise.reject(new Error('no disk')), onError: loud, onRefusal: loud });
  expect(await failing()).toMatchObject({ status: 500 });
  const { answer } = createAnswerDelivery({ receiver, handle: () => {}, onRefusal: loud }, 'node');
  expect(await answer(body, {})).toMatchObject({ status: 400 });
});

test('a store that is away is no yes', async () => {
  const store = { ...createMemoryStore(), claim: () => Promise.reject(new Error('away')) };
  const handle = vi.fn();
  const deliver = answering({ handle, deduplicator: createDeduplicator({ store }) });
  expect(await deliver()).toMatchObject({ status: 500 });
  expect(handle).not.toHaveBeenCalled();
});

import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDeduplicator } from './deduplicator.ts';
import type { EventStore } from './event-store.ts';
import { createMemoryStore } from './memory-store.ts';

const event = { id: 'evt_1' };
afterEach(() => void vi.useRealTimers());

/** A memory store whose operations end in an order that the scheduler picks. */
function slowStore(scheduler: fc.Scheduler): EventStore {
  const store = createMemoryStore();
  return {
    claim: scheduler.scheduleFunction(store.claim),
    renew: scheduler.scheduleFunction(store.renew),
    complete: scheduler.scheduleFunction(store.complete),
    release: scheduler.scheduleFunction(store.release),
  };
}

test('in any order of deliveries and failures: one at a time, one success, and yes only after it', async () => {
  const deliveries = fc.array(fc.record({ eventId: fc.constantFrom('evt_a', 'evt_b'), fails: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), deliveries, async (scheduler, given) => {
      const { once } = createDeduplicator({ store: slowStore(scheduler) });
      const running = new Set<string>();
      const succeeded = new Set<string>();
      const step = scheduler.scheduleFunction(async () => {});
      const deliver = async ({ eventId, fails }: { eventId: string; fails: boolean }) => {
        const result = await once({ id: eventId }, async () => {
          expect(running.has(eventId)).toBe(false);
          expect(succeeded.has(eventId)).toBe(false);
          running.add(eventId);
          await step();
          running.delete(eventId);
          if (fails) throw new Error('the work failed');
          succeeded.add(eventId);
        }).catch((error: unknown) => {
          expect(error).toMatchObject({ message: 'the work failed' });
          return undefined;
        });
        if (result?.ok) expect(succeeded.has(eventId)).toBe(true);
      };
      await scheduler.waitFor(Promise.all(given.map(deliver)));
      // The sender tries again what was not answered with a yes: at the latest now it gets through.
      for (const eventId of new Set(given.map((delivery) => delivery.eventId))) {
        await scheduler.waitFor(deliver({ eventId, fails: false }));
        expect(succeeded.has(eventId)).toBe(true);
      }
    }),
  );
});

describe('one event', () => {
  test('a second delivery is not worked on, and told so', async () => {
    const { once } = createDeduplicator({ store: createMemoryStore() });
    expect(await once(event, () => 'booked')).toEqual({ ok: true, ran: true, value: 'booked' });
    const work = vi.fn();
    expect(await once(event, work)).toEqual({ ok: true, ran: false });
    expect(work).not.toHaveBeenCalled();
  });

  test('a delivery while another is at work gets neither work nor a yes', async () => {
    const { once } = createDeduplicator({ store: createMemoryStore() });
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = once(event, () => promise);
    expect(await once(event, () => {})).toEqual({ ok: false, code: 'in_progress' });
    resolve();
    expect(await first).toMatchObject({ ok: true, ran: true });
  });

  test('work that failed is done by the next delivery, and its error is not swallowed', async () => {
    const { once } = createDeduplicator({ store: createMemoryStore() });
    await expect(once(event, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
    expect(await once(event, () => 2)).toMatchObject({ ran: true });
  });

  test('work that throws at once counts as failed too', async () => {
    const { once } = createDeduplicator({ store: createMemoryStore() });
    const work = () => {
      throw new Error('no disk');
    };
    await expect(once(event, work)).rejects.toThrow('no disk');
    expect(await once(event, () => 2)).toMatchObject({ ran: true });
  });
});

describe('leases', () => {
  test('a process that dies at work holds the event for the lease, and then a delivery takes it up', async () => {
    let nowMs = 0;
    const store = createMemoryStore({ now: () => nowMs });
    await store.claim(event.id, 'a process that died', 60_000);
    const { once } = createDeduplicator({ store });
    nowMs = 59_999;
    expect(await once(event, () => 1)).toEqual({ ok: false, code: 'in_progress' });
    nowMs = 60_000;
    expect(await once(event, () => 1)).toMatchObject({ ok: true, ran: true });
  });

  test('work may take many times the lease', async () => {
    vi.useFakeTimers({ now: 0 });
    const { once } = createDeduplicator({ store: createMemoryStore(), leaseMs: 3_000 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = once(event, () => promise);
    for (let second = 0; second < 30; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await once(event, () => {})).toEqual({ ok: false, code: 'in_progress' });
    }
    resolve();
    expect(await first).toMatchObject({ ran: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('work is told when its lease was lost', async () => {
    vi.useFakeTimers({ now: 0 });
    const store = createMemoryStore();
    const { once } = createDeduplicator({ store: { ...store, renew: async () => false }, leaseMs: 3_000 });
    const { promise, resolve } = Promise.withResolvers<void>();
    let told: AbortSignal | undefined;
    const first = once(event, (lost) => {
      told = lost;
      return promise;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(told?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(told?.aborted).toBe(true);
    resolve();
    await first;
  });

  test('a store that is away for a beat loses nothing', async () => {
    vi.useFakeTimers({ now: 0 });
    const store = createMemoryStore();
    const away = vi.fn(store.renew).mockRejectedValueOnce(new Error('away'));
    const { once } = createDeduplicator({ store: { ...store, renew: away }, leaseMs: 3_000 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = once(event, () => promise);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(await once(event, () => {})).toEqual({ ok: false, code: 'in_progress' });
    resolve();
    expect(await first).toMatchObject({ ran: true });
  });
});

test('a store that can’t write down the end is no yes: the sender must come again', async () => {
  const store = { ...createMemoryStore(), complete: () => Promise.reject(new Error('away')) };
  await expect(createDeduplicator({ store }).once(event, () => 1)).rejects.toThrow('away');
});

test('when releasing fails too, the work’s own error is told', async () => {
  const store = { ...createMemoryStore(), release: () => Promise.reject(new Error('away')) };
  const failing = createDeduplicator({ store }).once(event, () => Promise.reject(new Error('no disk')));
  await expect(failing).rejects.toThrow('no disk');
});

test.each([0, 29, 1.5, Number.NaN])('a lease of %d ms is refused', (leaseMs) => {
  expect(() => createDeduplicator({ store: createMemoryStore(), leaseMs })).toThrow(RangeError);
});

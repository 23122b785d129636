// Work per event, once. The sender delivers at least once; what is done is remembered by event id. Work that fails, or
// whose process dies, is taken up by a later delivery, so no event is lost to having been seen.
import type { EventStore } from './event-store.ts';

export type DeduplicatorOptions = {
  readonly store: EventStore;
  /**
   * How long an event stays held after the process that works on it fell silent; 60,000 when left out. Work may take
   * longer: the lease is prolonged while it runs.
   */
  readonly leaseMs?: number;
};

export type OnceResult<Value> =
  | { readonly ok: true; readonly ran: true; readonly value: Value }
  /** An earlier delivery has done it. */
  | { readonly ok: true; readonly ran: false }
  /** Another delivery is at work and may yet fail: do not answer 2xx. */
  | { readonly ok: false; readonly code: 'in_progress' };

export type Deduplicator = {
  /**
   * Runs `work` unless it was done, or is being done, for this event id. What `work` throws is thrown, after the event was
   * set free for the next delivery. `lost` is aborted if the lease could not be kept and another may have begun.
   */
  readonly once: <Value>(
    event: { readonly id: string },
    work: (lost: AbortSignal) => Promise<Value> | Value,
  ) => Promise<OnceResult<Value>>;
};

const MIN_LEASE_MS = 30;

export function createDeduplicator({ store, leaseMs = 60_000 }: DeduplicatorOptions): Deduplicator {
  if (!Number.isSafeInteger(leaseMs) || leaseMs < MIN_LEASE_MS) {
    throw new RangeError(`a lease takes whole milliseconds, at least ${MIN_LEASE_MS}`);
  }
  return {
    once: async (event, work) => {
      const holder = crypto.randomUUID();
      const claim = await store.claim(event.id, holder, leaseMs);
      if (claim === 'done') return { ok: true, ran: false };
      if (claim === 'held') return { ok: false, code: 'in_progress' };

      const lease = keepLease(store, event.id, holder, leaseMs);
      let value: Awaited<ReturnType<typeof work>>;
      try {
        value = await work(lease.lost);
      } catch (error) {
        // If this fails too, the lease runs out by itself; the reason that matters is the first.
        await store.release(event.id, holder).catch(() => {});
        throw error;
      } finally {
        lease.stop();
      }
      await store.complete(event.id);
      return { ok: true, ran: true, value };
    },
  };
}

function keepLease(store: EventStore, eventId: string, holder: string, leaseMs: number) {
  const lost = new AbortController();
  const beat = async () => {
    // A store that can't be asked says nothing about the lease; a later beat may still reach it in time.
    const kept = await store.renew(eventId, holder, leaseMs).catch(() => true);
    if (!kept) lost.abort();
  };
  const timer = setInterval(() => void beat(), leaseMs / 3);
  return { lost: lost.signal, stop: () => clearInterval(timer) };
}

// Remembers events in this process: for one process, or for trying things out. What it knows is gone with the process, and
// the oldest events are forgotten when it is full.
import { type Now, systemNow } from '../clock.ts';
import type { EventStore } from './event-store.ts';

export type MemoryStoreOptions = {
  /** How many finished events are remembered; 100,000 when left out. */
  readonly maxEvents?: number;
  readonly now?: Now;
};

type Lease = { readonly holder: string; readonly untilMs: number };

export function createMemoryStore({ maxEvents = 100_000, now = systemNow }: MemoryStoreOptions = {}): EventStore {
  if (!Number.isSafeInteger(maxEvents) || maxEvents < 1) throw new RangeError('maxEvents is a whole number above 0');
  const done = new Set<string>();
  const leases = new Map<string, Lease>();

  const isHeldBy = (eventId: string, holder: string) => leases.get(eventId)?.holder === holder;
  return {
    claim: async (eventId, holder, leaseMs) => {
      if (done.has(eventId)) return 'done';
      const nowMs = now();
      if ((leases.get(eventId)?.untilMs ?? nowMs) > nowMs) return 'held';
      leases.set(eventId, { holder, untilMs: nowMs + leaseMs });
      return 'claimed';
    },
    renew: async (eventId, holder, leaseMs) => {
      if (!isHeldBy(eventId, holder) || done.has(eventId)) return false;
      leases.set(eventId, { holder, untilMs: now() + leaseMs });
      return true;
    },
    complete: async (eventId) => {
      leases.delete(eventId);
      done.add(eventId);
      // A set keeps its order: the first is the oldest.
      for (const oldest of done) {
        if (done.size <= maxEvents) break;
        done.delete(oldest);
      }
    },
    release: async (eventId, holder) => {
      if (isHeldBy(eventId, holder)) leases.delete(eventId);
    },
  };
}

// Requests that wait for their payment's end. A notification wakes those of one intent; for what notifications lose, one
// statement every now and then asks about all of them together, however many wait. No connection is held.
import type { AwaitedPayment, SettlePorts } from '@svc-pay/core';
import type { StatusPorts } from '../ports.ts';

export type OutcomeWaitOptions = {
  readonly watchIntent: StatusPorts['watchIntent'];
  /** Ids of those that have ended. */
  readonly findEnded: (awaited: readonly AwaitedPayment[]) => Promise<readonly string[]>;
  readonly pollMs: number;
  /** Most requests that wait at a time; the next one does not wait at all. */
  readonly max: number;
  readonly onProblem: (problem: unknown) => void;
};

export type OutcomeWaits = Pick<SettlePorts, 'awaitEnd'> & {
  readonly count: () => number;
  /** Lets everybody go, and nobody wait any more. */
  readonly endAll: () => void;
};

type Entry = {
  readonly payment: AwaitedPayment;
  readonly waiters: Set<(look: boolean) => void>;
  /** How to stop listening, once that is known. */
  unwatch: (() => void | Promise<void>) | undefined;
};

export function createOutcomeWaits(options: OutcomeWaitOptions): OutcomeWaits {
  const entries = new Map<string, Entry>();
  let count = 0;
  let polling = false;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;

  const tell = (entry: Entry, look: boolean) => {
    for (const waiter of entry.waiters) waiter(look);
  };

  async function watch(entry: Entry): Promise<void> {
    try {
      const unwatch = await options.watchIntent(entry.payment.intentId, () => tell(entry, true));
      if (entries.get(entry.payment.paymentId) === entry) entry.unwatch = unwatch;
      else await unwatch();
    } catch (problem) {
      options.onProblem(problem);
    }
  }

  async function unwatch(entry: Entry): Promise<void> {
    try {
      await entry.unwatch?.();
    } catch (problem) {
      options.onProblem(problem);
    }
  }

  async function poll(): Promise<void> {
    if (polling) return;
    polling = true;
    try {
      for (const id of await options.findEnded([...entries.values()].map(({ payment }) => payment))) {
        const entry = entries.get(id);
        if (entry !== undefined) tell(entry, true);
      }
    } catch (problem) {
      options.onProblem(problem);
    }
    polling = false;
  }

  function enter(payment: AwaitedPayment): Entry {
    const known = entries.get(payment.paymentId);
    if (known !== undefined) return known;
    const entry: Entry = { payment, waiters: new Set(), unwatch: undefined };
    entries.set(payment.paymentId, entry);
    timer ??= setInterval(() => void poll(), options.pollMs);
    void watch(entry);
    return entry;
  }

  function leave(entry: Entry): void {
    if (entry.waiters.size > 0 || entries.get(entry.payment.paymentId) !== entry) return;
    entries.delete(entry.payment.paymentId);
    void unwatch(entry);
    if (entries.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    count: () => count,
    endAll() {
      stopping = true;
      for (const entry of entries.values()) tell(entry, false);
    },
    async awaitEnd(payment, timeoutMs) {
      if (stopping || count >= options.max) return false;
      const entry = enter(payment);
      const told = Promise.withResolvers<boolean>();
      const late = setTimeout(() => told.resolve(false), timeoutMs);
      entry.waiters.add(told.resolve);
      count += 1;
      const look = await told.promise;
      count -= 1;
      clearTimeout(late);
      entry.waiters.delete(told.resolve);
      leave(entry);
      return look;
    },
  };
}

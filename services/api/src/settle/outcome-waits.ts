// Settle requests that wait for a payment result. A notification wakes those of one intent. Notifications can be lost,
// so one periodic query asks about all waiting payments together. No database connection is held per request.
import type { AwaitedPayment, SettlePorts } from '@svc-pay/core';
import type { StatusPorts } from '../ports.ts';

export type OutcomeWaitOptions = {
  readonly watchIntent: StatusPorts['watchIntent'];
  /** Returns the ids of the payments that have a result. */
  readonly findFinished: (awaited: readonly AwaitedPayment[]) => Promise<readonly string[]>;
  readonly pollMs: number;
  /** Limit of waiting requests; beyond it a request does not wait at all. */
  readonly max: number;
  readonly onProblem: (problem: unknown, ids: object) => void;
};

export type OutcomeWaits = Pick<SettlePorts, 'awaitResult'> & {
  readonly count: () => number;
  /** Ends all waits, and lets no new request wait. */
  readonly endAll: () => void;
};

type Entry = {
  readonly payment: AwaitedPayment;
  readonly waiters: Set<(look: boolean) => void>;
  /** Stops listening; undefined until the watch is set up. */
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
      options.onProblem(problem, idsOf(entry));
    }
  }

  async function unwatch(entry: Entry): Promise<void> {
    try {
      await entry.unwatch?.();
    } catch (problem) {
      options.onProblem(problem, idsOf(entry));
    }
  }

  async function poll(): Promise<void> {
    if (polling) return;
    polling = true;
    try {
      for (const id of await options.findFinished([...entries.values()].map(({ payment }) => payment))) {
        const entry = entries.get(id);
        if (entry !== undefined) tell(entry, true);
      }
    } catch (problem) {
      options.onProblem(problem, { payments: entries.size });
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
    async awaitResult(payment, timeoutMs) {
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

const idsOf = ({ payment: { intentId, paymentId } }: Entry) => ({ intentId, paymentId });

// Settle requests that wait for a payment result. A notification wakes those of one intent. Notifications can be lost,
// so one periodic query asks about all waiting payments together. No database connection is held per request.
import type { AwaitedPayment, SettlePorts } from '@svc-pay/core';
import type { StatusPorts } from '../ports.ts';

export type OutcomeWaitOptions = {
  readonly watchIntent: StatusPorts['watchIntent'];
  /** Returns the ids of the payments that have a result. */
  readonly findFinished: (awaited: readonly AwaitedPayment[]) => Promise<readonly string[]>;
  readonly pollMs: number;
  /**
   * Limit of waiting requests; beyond it a request does not wait at all. One account has at most a quarter of it, and all
   * test accounts together a half: nobody takes the waits of others.
   */
  readonly max: number;
  readonly onProblem: (problem: unknown, ids: object) => void;
};

export type OutcomeWaits = Pick<SettlePorts, 'awaitResult'> & {
  readonly count: () => number;
  /** Ends all waits but those that outlast a stop, and lets no other new request wait. */
  readonly endAll: () => void;
  /** Ends those too. */
  readonly cutOff: () => void;
};

type Waiter = { readonly tell: (look: boolean) => void; readonly outlastsStop: boolean };

type Entry = {
  readonly payment: AwaitedPayment;
  readonly waiters: Set<Waiter>;
  /** Stops listening; undefined until the watch is set up. */
  unwatch: (() => void | Promise<void>) | undefined;
};

export function createOutcomeWaits(options: OutcomeWaitOptions): OutcomeWaits {
  const entries = new Map<string, Entry>();
  let count = 0;
  const shares = new Map<string, number>();
  let polling = false;
  let timer: NodeJS.Timeout | undefined;
  let stage: 'open' | 'stopping' | 'cut_off' = 'open';

  const tell = (entry: Entry, look: boolean) => {
    for (const waiter of entry.waiters) waiter.tell(look);
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

  const sharesOf = ({ caller: { mode, accountId } }: AwaitedPayment) => [
    { key: `${mode} ${accountId}`, most: Math.ceil(options.max / 4) },
    ...(mode === 'test' ? [{ key: mode, most: Math.ceil(options.max / 2) }] : []),
  ];

  const hasRoom = (payment: AwaitedPayment) =>
    sharesOf(payment).every(({ key, most }) => (shares.get(key) ?? 0) < most);

  function add(payment: AwaitedPayment, change: 1 | -1): void {
    count += change;
    for (const { key } of sharesOf(payment)) {
      const now = (shares.get(key) ?? 0) + change;
      if (now === 0) shares.delete(key);
      else shares.set(key, now);
    }
  }

  return {
    count: () => count,
    endAll() {
      stage = 'stopping';
      for (const { waiters } of entries.values())
        for (const waiter of waiters) if (!waiter.outlastsStop) waiter.tell(false);
    },
    cutOff() {
      stage = 'cut_off';
      for (const entry of entries.values()) tell(entry, false);
    },
    async awaitResult(payment, timeoutMs) {
      const outlastsStop = payment.outlastsStop === true;
      if (stage === 'cut_off' || (stage === 'stopping' && !outlastsStop)) return false;
      if (count >= options.max || !hasRoom(payment)) return false;
      const entry = enter(payment);
      const told = Promise.withResolvers<boolean>();
      const late = setTimeout(() => told.resolve(false), timeoutMs);
      const waiter: Waiter = { tell: told.resolve, outlastsStop };
      entry.waiters.add(waiter);
      add(payment, 1);
      const look = await told.promise;
      add(payment, -1);
      clearTimeout(late);
      entry.waiters.delete(waiter);
      leave(entry);
      return look;
    },
  };
}

const idsOf = ({ payment: { intentId, paymentId } }: Entry) => ({ intentId, paymentId });

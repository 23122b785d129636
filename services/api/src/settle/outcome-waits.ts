// Settle requests that wait for a payment result. A notification wakes those of one intent. Notifications can be lost,
// so each wait also looks by itself, soon and then seldom, in one statement for all that are due. No database connection is
// held per request.
import type { AwaitedPayment, SettlePorts } from '@svc-pay/core';
import type { StatusPorts } from '../ports.ts';

export type OutcomeWaitOptions = {
  readonly watchIntent: StatusPorts['watchIntent'];
  /** Returns the ids of the payments that have a result. */
  readonly findFinished: (awaited: readonly AwaitedPayment[]) => Promise<readonly AwaitedPayment['paymentId'][]>;
  /** When a wait looks by itself: for the first time, and from then on. */
  readonly firstLookMs: number;
  readonly laterLooksMs: number;
  /**
   * Limit of waiting requests; beyond it a request does not wait at all. One account has at most a quarter of it, and all
   * test accounts together a half: nobody takes the waits of others.
   */
  readonly max: number;
  readonly onProblem: (problem: unknown, ids: object) => void;
};

export type OutcomeWaits = Pick<SettlePorts, 'watchResult' | 'awaitResult'> & {
  readonly count: () => number;
  /** Waits that have begun since the process started. */
  readonly begun: () => number;
  /** Ends all waits but those that outlast a stop, and lets no other new request wait. */
  readonly endAll: () => void;
  /** Ends those too. */
  readonly cutOff: () => void;
};

type Waiter = {
  readonly payment: AwaitedPayment;
  readonly tell: (look: boolean) => void;
  readonly outlastsStop: boolean;
  nextLookMs: number;
};

/** What listens for the changes of one intent. */
type Entry = {
  readonly intentId: AwaitedPayment['intentId'];
  readonly waiters: Set<Waiter>;
  /** Calls that wait, or are going to. The entry ends with the last of them. */
  users: number;
  /** The intent changed while nobody waited: the next wait ends immediately. */
  isChanged: boolean;
  /** Stops listening; undefined until the watch is set up. */
  unwatch: (() => void | Promise<void>) | undefined;
};

/** How exactly looks are on time. */
const TICK_MS = 250;

export function createOutcomeWaits(options: OutcomeWaitOptions): OutcomeWaits {
  const entries = new Map<string, Entry>();
  const waiting = new Set<Waiter>();
  const shares = new Map<string, number>();
  let begun = 0;
  let looking = false;
  let timer: NodeJS.Timeout | undefined;
  let stage: 'open' | 'stopping' | 'cut_off' = 'open';

  const noteChange = (entry: Entry) => {
    entry.isChanged = entry.waiters.size === 0;
    for (const waiter of entry.waiters) waiter.tell(true);
  };

  async function watch(entry: Entry): Promise<void> {
    try {
      const unwatch = await options.watchIntent(entry.intentId, () => noteChange(entry));
      if (entries.get(entry.intentId) === entry) entry.unwatch = unwatch;
      else await unwatch();
    } catch (problem) {
      options.onProblem(problem, { intentId: entry.intentId });
    }
  }

  async function unwatch(entry: Entry): Promise<void> {
    try {
      await entry.unwatch?.();
    } catch (problem) {
      options.onProblem(problem, { intentId: entry.intentId });
    }
  }

  async function look(): Promise<void> {
    if (looking) return;
    const nowMs = performance.now();
    const due = Map.groupBy(
      [...waiting].filter(({ nextLookMs }) => nextLookMs <= nowMs),
      ({ payment }) => payment.paymentId,
    );
    if (due.size === 0) return;
    for (const waiters of due.values()) for (const waiter of waiters) waiter.nextLookMs = nowMs + options.laterLooksMs;
    looking = true;
    try {
      const asked = [...due.values()].flatMap(([first]) => first?.payment ?? []);
      for (const id of await options.findFinished(asked)) for (const waiter of due.get(id) ?? []) waiter.tell(true);
    } catch (problem) {
      options.onProblem(problem, { payments: due.size });
    }
    looking = false;
  }

  function enter(intentId: AwaitedPayment['intentId']): Entry {
    const known = entries.get(intentId);
    const entry = known ?? { intentId, waiters: new Set(), users: 0, isChanged: false, unwatch: undefined };
    entry.users += 1;
    if (known !== undefined) return entry;
    entries.set(intentId, entry);
    void watch(entry);
    return entry;
  }

  function leave(entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    entries.delete(entry.intentId);
    void unwatch(entry);
  }

  function addWaiter(entry: Entry, waiter: Waiter): void {
    begun += 1;
    entry.waiters.add(waiter);
    waiting.add(waiter);
    timer ??= setInterval(() => void look(), Math.min(TICK_MS, options.firstLookMs));
  }

  function removeWaiter(entry: Entry, waiter: Waiter): void {
    entry.waiters.delete(waiter);
    waiting.delete(waiter);
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  const sharesOf = ({ caller: { mode, accountId } }: AwaitedPayment) => [
    { key: `${mode} ${accountId}`, most: Math.ceil(options.max / 4) },
    ...(mode === 'test' ? [{ key: mode, most: Math.ceil(options.max / 2) }] : []),
  ];

  const hasRoom = (payment: AwaitedPayment) =>
    sharesOf(payment).every(({ key, most }) => (shares.get(key) ?? 0) < most);

  function addShares(payment: AwaitedPayment, change: 1 | -1): void {
    for (const { key } of sharesOf(payment)) {
      const now = (shares.get(key) ?? 0) + change;
      if (now === 0) shares.delete(key);
      else shares.set(key, now);
    }
  }

  return {
    count: () => waiting.size,
    begun: () => begun,
    endAll() {
      stage = 'stopping';
      for (const waiter of waiting) if (!waiter.outlastsStop) waiter.tell(false);
    },
    cutOff() {
      stage = 'cut_off';
      for (const waiter of waiting) waiter.tell(false);
    },
    watchResult(intentId) {
      const entry = enter(intentId);
      return () => leave(entry);
    },
    async awaitResult(payment, timeoutMs) {
      const outlastsStop = payment.outlastsStop === true;
      if (stage === 'cut_off' || (stage === 'stopping' && !outlastsStop)) return false;
      if (waiting.size >= options.max || !hasRoom(payment)) return false;
      const entry = enter(payment.intentId);
      const told = Promise.withResolvers<boolean>();
      const nextLookMs = performance.now() + options.firstLookMs;
      const waiter: Waiter = { payment, tell: told.resolve, outlastsStop, nextLookMs };
      const late = setTimeout(() => told.resolve(false), timeoutMs);
      if (entry.isChanged) told.resolve(true);
      entry.isChanged = false;
      addWaiter(entry, waiter);
      addShares(payment, 1);
      const isTold = await told.promise;
      addShares(payment, -1);
      clearTimeout(late);
      removeWaiter(entry, waiter);
      leave(entry);
      return isTold;
    },
  };
}

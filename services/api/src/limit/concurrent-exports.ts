import type { ExportStore } from '@svc-pay/core';

/** A client waits this long for its turn before it is told to come again. */
const TURN_WAIT_MS = 2_000;
/** Of one account. */
const MOST_WAITING = 4;

type Waiter = { readonly accountId: string; readonly go: () => void };

/**
 * At most `most` pages of exports in this process: each keeps one connection of their pool. Others wait for a turn, and accounts
 * take turns.
 */
export function concurrentExports(store: ExportStore, most: number, waitMs = TURN_WAIT_MS): ExportStore {
  let running = 0;
  let waiting: readonly Waiter[] = [];
  let servedLast = '';

  const turn = async (accountId: string): Promise<boolean> => {
    if (running < most) {
      running += 1;
      servedLast = accountId;
      return true;
    }
    if (waiting.filter((waiter) => waiter.accountId === accountId).length >= MOST_WAITING) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { accountId, go: () => resolve(true) };
    waiting = [...waiting, waiter];
    const timer = setTimeout(() => {
      waiting = waiting.filter((other) => other !== waiter);
      resolve(false);
    }, waitMs);
    const got = await promise;
    clearTimeout(timer);
    return got;
  };

  /** The place goes to the first of another account, and stays counted. */
  const pass = () => {
    const next = waiting.find(({ accountId }) => accountId !== servedLast) ?? waiting[0];
    if (next === undefined) {
      running -= 1;
      return;
    }
    waiting = waiting.filter((other) => other !== next);
    servedLast = next.accountId;
    next.go();
  };

  const within = async <Page>(accountId: string, read: () => Promise<Page>) => {
    if (!(await turn(accountId))) return { ok: false, reason: 'busy' } as const;
    try {
      return await read();
    } finally {
      pass();
    }
  };
  return {
    readBookings: (order) => within(order.accountId, () => store.readBookings(order)),
    sumDay: (order) => within(order.accountId, () => store.sumDay(order)),
    allCommitted: store.allCommitted,
  };
}

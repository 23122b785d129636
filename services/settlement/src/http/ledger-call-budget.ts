// How often notify may ask token ledgers. The answer's certificate costs tens of milliseconds of the thread that settles
// payments, and its asker nothing. A process forgets it when it ends: it protects the process, and decides nothing about money.
import type { Clock } from '@svc-pay/core';

type CallRate = {
  /** One call in this time, for ever. */
  readonly everyMs: number;
  /** Calls at once after a rest. */
  readonly burst: number;
};

export type LedgerCallRates = { readonly all: CallRate; readonly ofAccount: CallRate };

export type MayAskLedger = (accountId: string) => boolean;

export function createLedgerCallBudget(clock: Clock, { all, ofAccount }: LedgerCallRates): MayAskLedger {
  /** When the whole burst is there again. An account that has its whole burst has no entry. */
  const accounts = new Map<string, number>();
  let allFullAtMs = 0;
  return (accountId) => {
    const nowMs = clock.nowMs();
    const ownFullAtMs = afterCall(accounts.get(accountId) ?? 0, ofAccount, nowMs);
    const nextFullAtMs = afterCall(allFullAtMs, all, nowMs);
    if (ownFullAtMs === undefined || nextFullAtMs === undefined) return false;
    allFullAtMs = nextFullAtMs;
    accounts.set(accountId, ownFullAtMs);
    for (const [name, fullAtMs] of accounts) if (fullAtMs <= nowMs) accounts.delete(name);
    return true;
  };
}

/** Undefined when the burst is used up. */
function afterCall(fullAtMs: number, { everyMs, burst }: CallRate, nowMs: number): number | undefined {
  const next = Math.max(fullAtMs, nowMs) + everyMs;
  return next - nowMs > burst * everyMs ? undefined : next;
}

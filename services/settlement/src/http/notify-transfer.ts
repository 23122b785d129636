// Bounds how much notify may ask of token ledgers. A call of it costs its sender little and a ledger some seconds.
import { setTimeout as wait } from 'node:timers/promises';
import {
  ChainUnavailable,
  type NotifiedTransfer,
  type NotifyDeps,
  type NotifyTransfer,
  notifyTransfer,
} from '@svc-pay/core';

export type NotifyLimits = {
  /** Further calls are not asked: the reader finds the block by itself. */
  readonly atOnce: number;
  readonly timeoutMs: number;
};

const LIMITS: NotifyLimits = { atOnce: 16, timeoutMs: 10_000 };

export type BoundedNotifyDeps = NotifyDeps & {
  readonly onProblem: (problem: unknown, ids: object) => void;
};

const UNKNOWN: NotifiedTransfer = { outcome: 'unknown' };

export function createTransferNotify(deps: BoundedNotifyDeps, limits: NotifyLimits = LIMITS): NotifyTransfer {
  let running = 0;
  return async (notified) => {
    if (running >= limits.atOnce) return UNKNOWN;
    running += 1;
    const late = new AbortController();
    // What takes longer than its answer may goes on and counts when it is done.
    const asked = notifyTransfer(deps, notified)
      .catch((problem: unknown) => {
        const { intentId, ledger, blockIndex } = notified;
        if (!(problem instanceof ChainUnavailable))
          deps.onProblem(problem, { intentId, ledger, blockIndex: `${blockIndex}` });
        return UNKNOWN;
      })
      .finally(() => {
        running -= 1;
        late.abort();
      });
    const over = wait(limits.timeoutMs, UNKNOWN, { signal: late.signal }).catch(() => UNKNOWN);
    return Promise.race([asked, over]);
  };
}

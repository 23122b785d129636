// Bounds how much notify may ask of token ledgers. A call of it costs its sender little and a ledger some seconds.
import { setTimeout as wait } from 'node:timers/promises';
import {
  ChainUnavailable,
  type IcrcChain,
  type NotifiedTransfer,
  type NotifyDeps,
  type NotifyTransfer,
  notifyTransfer,
} from '@svc-pay/core';
import { createLedgerCallBudget, type LedgerCallRates, type MayAskLedger } from './ledger-call-budget.ts';

export type NotifyLimits = {
  /** Further calls are not asked: the reader finds the block by itself. */
  readonly atOnce: number;
  /** Of these, calls for one account. */
  readonly perAccount: number;
  readonly timeoutMs: number;
  /** Further calls are not asked either. */
  readonly rates: LedgerCallRates;
};

/** The API waits a little longer for the answer. */
const LIMITS: NotifyLimits = {
  atOnce: 16,
  perAccount: 4,
  timeoutMs: 4_000,
  rates: { all: { everyMs: 300, burst: 60 }, ofAccount: { everyMs: 1_000, burst: 30 } },
};

export type BoundedNotifyDeps = Omit<NotifyDeps, 'pause'> & {
  readonly onProblem: (problem: unknown, ids: object) => void;
};

const UNKNOWN: NotifiedTransfer = { outcome: 'unknown' };

export function createTransferNotify(deps: BoundedNotifyDeps, limits: NotifyLimits = LIMITS): NotifyTransfer {
  const running = new Map<string, number>();
  const chains = deps.chains.map(shareBlocks);
  const mayAsk = createLedgerCallBudget(deps.clock, limits.rates);
  return async (notified) => {
    const { accountId } = notified;
    const ofAccount = running.get(accountId) ?? 0;
    const all = [...running.values()].reduce((sum, count) => sum + count, 0);
    if (all >= limits.atOnce || ofAccount >= limits.perAccount) return UNKNOWN;
    running.set(accountId, ofAccount + 1);
    const late = new AbortController();
    // What takes longer than its answer may goes on and counts when it is done.
    const asked = notifyTransfer(
      { ...deps, chains: chains.map((chain) => askWithin(mayAsk, accountId, chain)), pause: wait },
      notified,
    )
      .catch((problem: unknown) => {
        const { intentId, ledger, blockIndex } = notified;
        if (!(problem instanceof ChainUnavailable))
          deps.onProblem(problem, { intentId, ledger, blockIndex: `${blockIndex}` });
        return UNKNOWN;
      })
      .finally(() => {
        const left = (running.get(accountId) ?? 1) - 1;
        if (left > 0) running.set(accountId, left);
        else running.delete(accountId);
        late.abort();
      });
    const over = wait(limits.timeoutMs, UNKNOWN, { signal: late.signal }).catch(() => UNKNOWN);
    return Promise.race([asked, over]);
  };
}

function askWithin(mayAsk: MayAskLedger, accountId: string, chain: IcrcChain): IcrcChain {
  return {
    ...chain,
    blocks: async (...block) => {
      if (!mayAsk(accountId)) throw new ChainUnavailable('notify has asked token ledgers too often');
      return chain.blocks(...block);
    },
  };
}

/**
 * Calls for the same blocks at the same time are one. A call that began before may have been answered before the block was
 * written: that it found none is asked again.
 */
function shareBlocks(chain: IcrcChain): IcrcChain {
  const asked = new Map<string, ReturnType<IcrcChain['blocks']>>();
  const ask: IcrcChain['blocks'] = (ledger, start, count) => {
    const key = keyOf(ledger, start, count);
    const told = chain.blocks(ledger, start, count).finally(() => asked.delete(key));
    asked.set(key, told);
    return told;
  };
  return {
    ...chain,
    blocks: async (...block) => {
      const key = keyOf(...block);
      const earlier = await asked.get(key);
      return earlier !== undefined && earlier.blocks.length > 0 ? earlier : (asked.get(key) ?? ask(...block));
    },
  };
}

const keyOf = (...[ledger, start, count]: Parameters<IcrcChain['blocks']>): string => `${ledger} ${start} ${count}`;

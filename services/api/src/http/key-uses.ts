// Remembers when each API key was last used, and writes it once a minute for all keys together: no request waits for it.
import type { Caller, Clock } from '@svc-pay/core';

export type KeyUses = {
  readonly note: (caller: Caller) => void;
  /** Writes what was not written yet and stops. */
  readonly stop: () => Promise<void>;
};

export type NotedUse = Pick<Caller, 'accountId' | 'mode' | 'keyId'> & { readonly atMs: number };

export type KeyUsesOptions = {
  readonly clock: Clock;
  readonly record: (uses: readonly NotedUse[]) => Promise<unknown>;
  readonly everyMs: number;
  readonly onProblem: (problem: unknown) => void;
};

/** Keys per statement. */
const MOST_AT_ONCE = 1_000;

export function createKeyUses({ clock, record, everyMs, onProblem }: KeyUsesOptions): KeyUses {
  let used = new Map<Caller['keyId'], NotedUse>();
  let writing = Promise.resolve();
  const write = async () => {
    const uses = [...used.values()];
    used = new Map();
    try {
      for (let first = 0; first < uses.length; first += MOST_AT_ONCE)
        await record(uses.slice(first, first + MOST_AT_ONCE));
    } catch (problem) {
      // The next use of each key is written a minute later.
      onProblem(problem);
    }
  };
  const timer = setInterval(() => {
    writing = writing.then(write);
  }, everyMs);
  timer.unref();
  return {
    note: ({ accountId, mode, keyId }) => {
      used.set(keyId, { accountId, mode, keyId, atMs: clock.nowMs() });
    },
    stop: async () => {
      clearInterval(timer);
      writing = writing.then(write);
      await writing;
    },
  };
}

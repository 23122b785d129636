// A transaction that fails on chain costs the relayer its fee, although a node saw it pass. One may happen; a node that is wrong
// again and again must not spend the relayer's balance.

export type FailedLately = { readonly note: () => void; readonly isSo: () => boolean };

const LATELY_MS = 600_000;

/** In memory only: after a restart one more transaction may fail first. */
export function createFailedLately(nowMs: () => number = Date.now): FailedLately {
  let untilMs = 0;
  return {
    note: () => {
      untilMs = nowMs() + LATELY_MS;
    },
    isSo: () => nowMs() < untilMs,
  };
}

// The finalized height of some time ago. Logs of a token are kept by what is claimed, and a claim is written a moment after
// it was verified: a block is passed only when every claim that was verified before it has been written.

export type SettledHeight = {
  /** Takes the finalized height of now; the highest that was seen at least `delayMs` ago, undefined if none was. */
  readonly at: (nowMs: number, finalized: bigint) => bigint | undefined;
};

/** In memory only: after a restart the delay begins anew. */
export function createSettledHeight(delayMs: number): SettledHeight {
  let settled: bigint | undefined;
  const waiting: { readonly atMs: number; readonly height: bigint }[] = [];
  return {
    at: (nowMs, finalized) => {
      if (finalized > (waiting.at(-1)?.height ?? settled ?? -1n)) waiting.push({ atMs: nowMs, height: finalized });
      while (waiting[0] !== undefined && waiting[0].atMs + delayMs <= nowMs) settled = waiting.shift()?.height;
      return settled;
    },
  };
}

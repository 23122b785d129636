// The way out of a process that serves the engine. What it began it ends, what comes next is put off for a moment, and by
// then another process has it: work that is cut off instead is held for this address until the engine gives it up.

export type Gate = {
  readonly isLeaving: () => boolean;
  /** Fires when it is time to leave. */
  readonly leaving: AbortSignal;
  readonly during: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Resolves when nothing runs any more, or patience is over. */
  readonly leave: (patienceMs: number) => Promise<void>;
};

export function createGate(): Gate {
  let running = 0;
  const empty = Promise.withResolvers<void>();
  const leaving = new AbortController();
  return {
    isLeaving: () => leaving.signal.aborted,
    leaving: leaving.signal,
    during: async (work) => {
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        if (leaving.signal.aborted && running === 0) empty.resolve();
      }
    },
    leave: async (patienceMs) => {
      leaving.abort();
      if (running === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, patienceMs);
      });
      await Promise.race([empty.promise, over]);
      clearTimeout(timer);
    },
  };
}

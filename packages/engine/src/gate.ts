// The way out of a process that serves the engine. What it began it ends, what comes next is put off for a moment, and by
// then another process has it: work that is cut off instead is held for this address until the engine gives it up.

export type Gate = {
  readonly isLeaving: () => boolean;
  /** Fires when it is time to leave. */
  readonly leaving: AbortSignal;
  readonly during: <Result>(attemptOver: AbortSignal, work: () => Promise<Result>) => Promise<Result>;
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
    during: async (attemptOver, work) => {
      running += 1;
      const end = once(() => {
        running -= 1;
        if (leaving.signal.aborted && running === 0) empty.resolve();
      });
      // Nobody waits for it any more then, and it may never end: what an attempt that was given up asked is not answered.
      attemptOver.addEventListener('abort', end);
      try {
        return await work();
      } finally {
        attemptOver.removeEventListener('abort', end);
        end();
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

function once(deed: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    deed();
  };
}

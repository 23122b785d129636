// Graceful shutdown of a process that serves the engine: running work finishes, the next step is delayed for a moment,
// and another process takes it. Work that is cut off instead stays pinned to this address until the engine gives up on
// it.

export type Gate = {
  readonly isLeaving: () => boolean;
  /** Fires when shutdown begins. */
  readonly leaving: AbortSignal;
  readonly during: <Result>(attemptOver: AbortSignal, work: () => Promise<Result>) => Promise<Result>;
  /** Resolves when no work runs any more, or after `patienceMs`. */
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
      // An attempt that is over counts as ended: the engine does not answer its calls any more, so it may never return.
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

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}

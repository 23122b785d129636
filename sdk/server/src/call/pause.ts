/** Resolves when the time is over or the signal has fired, whichever is first. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

export const pause: Wait = (ms, signal) =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });

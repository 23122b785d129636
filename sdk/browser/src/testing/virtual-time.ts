// Time that passes only when everything waits for it. A call that waits for nothing that will ever come is found at once.
import type { Ports } from '../ports.ts';

export type VirtualTime = Pick<Ports, 'nowMs' | 'sleep'> & {
  /** Runs until the promise settles, moving time from timer to timer. */
  readonly run: <Value>(promise: Promise<Value>) => Promise<Value>;
};

const MAX_STEPS = 20_000;

export function virtualTime(startMs = 1_700_000_000_000): VirtualTime {
  let nowMs = startMs;
  const timers = new Set<{ readonly atMs: number; readonly fire: () => void }>();
  return {
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const fire = () => {
          timers.delete(timer);
          signal.removeEventListener('abort', fire);
          resolve();
        };
        const timer = { atMs: nowMs + ms, fire };
        timers.add(timer);
        signal.addEventListener('abort', fire);
      }),
    async run(promise) {
      let settled = false;
      const settle = () => {
        settled = true;
      };
      promise.then(settle, settle);
      for (let step = 0; ; step += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        if (settled) return promise;
        if (step > MAX_STEPS) throw new Error('never ends');
        let next: { readonly atMs: number; readonly fire: () => void } | undefined;
        for (const timer of timers) if (next === undefined || timer.atMs < next.atMs) next = timer;
        if (next === undefined) throw new Error('waits for what never comes');
        nowMs = Math.max(nowMs, next.atMs);
        next.fire();
      }
    },
  };
}

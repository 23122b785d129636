// Arrivals by a schedule that does not wait for answers. What is late to be sent, because everything before it hangs, has
// waited since the moment it was due: latencies begin there and not when a connection came free.
import type { Finished } from './closed-loop.ts';

/** When arrival `index` is due, after the first one. */
export function dueMs(index: number, perSecond: number): number {
  return (index * 1_000) / perSecond;
}

/** How many are due within a time. */
export function arrivalsIn(forMs: number, perSecond: number): number {
  return Math.max(1, Math.floor((forMs * perSecond) / 1_000));
}

/** `startMs` of each is when it was due. At most `mostAtOnce` run; `slot` is a number below it that nobody else has now. */
export function openLoop<Work, Answer>(
  works: readonly Work[],
  perSecond: number,
  mostAtOnce: number,
  run: (work: Work, slot: number) => Promise<Answer>,
): Promise<readonly Finished<Answer>[]> {
  return new Promise((resolve, reject) => {
    const finished: Finished<Answer>[] = [];
    const beganMs = performance.now();
    const free: number[] = [];
    let [opened, next] = [0, 0];
    let timer: NodeJS.Timeout | undefined;

    const start = async (work: Work, startMs: number, slot: number) => {
      const answer = await run(work, slot);
      finished.push({ startMs, endMs: performance.now(), answer });
      free.push(slot);
      if (finished.length === works.length) resolve(finished);
      else pump();
    };
    const pump = () => {
      clearTimeout(timer);
      for (let work = works[next]; work !== undefined; work = works[next]) {
        const startMs = beganMs + dueMs(next, perSecond);
        const waitMs = startMs - performance.now();
        if (waitMs > 0) {
          timer = setTimeout(pump, waitMs);
          return;
        }
        const slot = free.pop() ?? (opened < mostAtOnce ? opened++ : undefined);
        if (slot === undefined) return;
        next += 1;
        start(work, startMs, slot).catch(reject);
      }
    };
    if (works.length === 0) resolve(finished);
    pump();
  });
}

// Requests that this process works on, and whether one more could be answered in time. A request that could not is told so at
// once: its client would give up, and what was done for it would be wasted.

export type Leave = (isAnswered: boolean) => void;

export type RequestQueue = {
  /** Asked for each request that arrives, before it enters. */
  readonly isFull: () => boolean;
  /** Returns the function by which the request leaves, answered or not; calling it again changes nothing. */
  readonly enter: () => Leave;
  /** Requests that are worked on. */
  readonly length: () => number;
};

export type RequestQueueOptions = {
  /** Longest time that a request may have to wait for those before it. */
  readonly limitMs: number;
  /**
   * Requests among those that entered that wait for something else than this process: the chain. `begun` counts such waits from the
   * start on: what a request needed until then is done, which is pace as an answer is.
   */
  readonly aside: { readonly count: () => number; readonly begun: () => number };
  /** A clock that nobody sets back. */
  readonly nowMs: () => number;
};

/** So few are always taken: nothing can be said of the pace, and a process that hangs is noticed by its timeouts. */
const FEW = 256;
/** So many are never taken, for the sake of memory. */
const MOST = 10_000;
/**
 * The pace is known once a queue has been long for half of the limit, and for this long at least. The requests of a burst go through
 * their first steps side by side: with 2,048 at once none got to its last step within two seconds on two busy cores (settle bench).
 */
const LEARN_MS = 1_000;
/** After this long the first half of what was counted is forgotten. */
const FORGET_MS = 10_000;

export function createRequestQueue({ limitMs, aside, nowMs }: RequestQueueOptions): RequestQueue {
  const learnMs = Math.max(LEARN_MS, limitMs / 2);
  let entered = 0;
  /** Answers, and waits that began: what this process got done. */
  let answered = 0;
  const done = () => answered + aside.begun();
  /** Since when the queue is long without a break, and what was done until then. */
  let long: { sinceMs: number; done: number } | undefined;
  const length = () => Math.max(0, entered - aside.count());

  return {
    length,
    isFull() {
      const waiting = length();
      if (waiting < FEW) {
        long = undefined;
        return false;
      }
      if (waiting >= MOST) return true;
      const now = nowMs();
      long ??= { sinceMs: now, done: done() };
      const longMs = now - long.sinceMs;
      if (longMs < learnMs) return false;
      const left = done() - long.done;
      // As long as waiting / (left / longMs) is above the limit.
      const isFull = waiting * longMs > limitMs * left;
      if (longMs > FORGET_MS) long = { sinceMs: now - longMs / 2, done: done() - left / 2 };
      return isFull;
    },
    enter() {
      let isIn = true;
      entered += 1;
      return (isAnswered) => {
        if (!isIn) return;
        isIn = false;
        entered -= 1;
        if (isAnswered) answered += 1;
      };
    },
  };
}

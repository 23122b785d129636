// The time budget of one request, which also ends when the process stops. An AbortController with `AbortSignal.any` for each
// request costs several times as much: both are lists of weak references that the garbage collector has to visit.

/** An AbortSignal is one as well. */
export type Over = {
  readonly aborted: boolean;
  readonly addEventListener: (type: 'abort', listener: () => void) => void;
  readonly removeEventListener: (type: 'abort', listener: () => void) => void;
};

type TimeLimit = {
  readonly over: Over;
  /** To be called when the request has ended. */
  readonly clear: () => void;
};

export type BeginTimeLimit = (timeoutMs: number, stopped: AbortSignal) => TimeLimit;

export function createTimeLimits(): BeginTimeLimit {
  // One listener for all requests under way, however many there are.
  const underWay = new WeakMap<AbortSignal, Set<() => void>>();
  const underWayUntil = (stopped: AbortSignal): Set<() => void> => {
    const known = underWay.get(stopped);
    if (known !== undefined) return known;
    const ends = new Set<() => void>();
    stopped.addEventListener('abort', () => runAll(ends), { once: true });
    underWay.set(stopped, ends);
    return ends;
  };
  return (timeoutMs, stopped) => {
    const listeners = new Set<() => void>();
    let aborted = stopped.aborted;
    const end = () => {
      if (aborted) return;
      aborted = true;
      runAll(listeners);
    };
    const timer = setTimeout(end, timeoutMs);
    const ends = underWayUntil(stopped);
    ends.add(end);
    return {
      over: {
        get aborted() {
          return aborted;
        },
        addEventListener: (_, listener) => void listeners.add(listener),
        removeEventListener: (_, listener) => void listeners.delete(listener),
      },
      clear: () => {
        clearTimeout(timer);
        ends.delete(end);
      },
    };
  };
}

/** A set may lose entries while it is walked. */
function runAll(listeners: ReadonlySet<() => void>): void {
  for (const listener of listeners) listener();
}

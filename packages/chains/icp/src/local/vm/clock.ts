// The clock of the local Internet Computer: the machine's, plus what a test advanced it by.

const NANOSECONDS = 1_000_000n;
/** A timer of Node takes no longer delay; it looks again then. */
const LONGEST_DELAY_MS = 60_000;

export type LocalClock = {
  readonly nowMs: () => number;
  readonly nowNanoseconds: () => bigint;
  readonly advance: (ms: number) => void;
  /** Calls back when this time has come, at the latest a few milliseconds after. */
  readonly wakeAt: (nanoseconds: bigint) => void;
  readonly onTime: (wake: () => void) => void;
  readonly stop: () => void;
};

export function openLocalClock(): LocalClock {
  let offsetMs = 0;
  const wakers: (() => void)[] = [];
  const alarms = new Set<NodeJS.Timeout>();
  const nowMs = () => Date.now() + offsetMs;
  const nowNanoseconds = () => BigInt(nowMs()) * NANOSECONDS;
  const wake = () => {
    for (const waker of wakers) waker();
  };
  const wakeAt = (nanoseconds: bigint) => {
    const delayMs = Number((nanoseconds + NANOSECONDS - 1n) / NANOSECONDS) - nowMs();
    const alarm = setTimeout(
      () => {
        alarms.delete(alarm);
        if (nowNanoseconds() < nanoseconds) wakeAt(nanoseconds);
        else wake();
      },
      Math.max(0, Math.min(delayMs, LONGEST_DELAY_MS)),
    );
    alarm.unref();
    alarms.add(alarm);
  };
  return {
    nowMs,
    nowNanoseconds,
    advance: (ms) => {
      offsetMs += ms;
      wake();
    },
    wakeAt,
    onTime: (waker) => {
      wakers.push(waker);
    },
    stop: () => {
      for (const alarm of alarms) clearTimeout(alarm);
      alarms.clear();
    },
  };
}

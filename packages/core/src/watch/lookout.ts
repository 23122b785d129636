// Looks for work on behalf of all periodic jobs of a process that rest: one cheap look instead of a run of each. A look that
// finds work wakes the jobs that it is for. No work depends on it: the engine runs a job that rests again after some time.
import type { JobRest } from './periodic-job.ts';

export type LookoutOptions<Seen> = {
  /** Reads what there is to do. */
  readonly look: () => Promise<Seen>;
  /** Time between two looks while a job rests. */
  readonly everyMs: number;
  /** Looks are more seldom when none was busy for a while. Without it they never are. */
  readonly calm?: Calm<Seen>;
  /** A look failed, or a job could not be woken; the next look tries again. */
  readonly onProblem: (problem: unknown) => void;
};

type Calm<Seen> = {
  readonly everyMs: number;
  /** No look was busy, and nobody asked for one, for this long. */
  readonly afterMs: number;
  readonly isBusy: (seen: Seen) => boolean;
};

export type Lookout<Seen> = {
  /** There may be work: looks now, or `everyMs` after the last look, and goes on at that pace for a while. */
  readonly lookSoon: () => void;
  /** How a job rests that has nothing to do unless `isOpen` says so of what was seen. */
  readonly rest: (everyMs: number, isOpen: (seen: Seen) => boolean) => JobRest;
  readonly stop: () => Promise<void>;
};

type Resting<Seen> = {
  readonly isOpen: (seen: Seen) => boolean;
  readonly wake: () => Promise<void>;
  /** Until then the engine has run the job, maybe in another process. */
  readonly untilMs: number;
};

/** A job that another process runs is forgotten here after this many times its rest. */
const FORGOTTEN_AFTER = 2;

export function createLookout<Seen>({ look, everyMs, calm, onProblem }: LookoutOptions<Seen>): Lookout<Seen> {
  const resting = new Map<JobRest, Resting<Seen>>();
  let timer: NodeJS.Timeout | undefined;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let busyMs = performance.now();
  let stopped = false;
  let seen: { readonly atMs: number; readonly what: Seen } | undefined;
  let looking: Promise<Seen | undefined> | undefined;
  let ticking: Promise<void> | undefined;

  const lookNow = (): Promise<Seen | undefined> => {
    looking ??= (async () => {
      const atMs = performance.now();
      lookedMs = atMs;
      try {
        seen = { atMs, what: await look() };
        if (calm?.isBusy(seen.what) === true) busyMs = atMs;
      } catch (problem) {
        seen = undefined;
        busyMs = atMs;
        onProblem(problem);
      } finally {
        looking = undefined;
      }
      return seen?.what;
    })();
    return looking;
  };

  const wake = async (job: JobRest, rest: Resting<Seen>): Promise<void> => {
    resting.delete(job);
    try {
      await rest.wake();
    } catch (problem) {
      onProblem(problem);
      if (!resting.has(job)) resting.set(job, rest);
    }
  };

  const tick = async (): Promise<void> => {
    const what = await lookNow();
    const nowMs = performance.now();
    const woken: Promise<void>[] = [];
    for (const [job, rest] of resting) {
      if (rest.untilMs < nowMs) resting.delete(job);
      else if (what !== undefined && rest.isOpen(what)) woken.push(wake(job, rest));
    }
    await Promise.all(woken);
  };

  const pauseMs = () =>
    calm !== undefined && performance.now() - busyMs > calm.afterMs ? Math.max(everyMs, calm.everyMs) : everyMs;

  const tickLater = (inMs = pauseMs()) => {
    if (stopped || timer !== undefined || resting.size === 0) return;
    timer = setTimeout(() => {
      ticking = tick().finally(() => {
        timer = undefined;
        ticking = undefined;
        tickLater();
      });
    }, inMs);
  };

  return {
    lookSoon: () => {
      busyMs = performance.now();
      // A look under way may not see what this is about: the next one follows at the pace of busy looks.
      if (timer === undefined || ticking !== undefined) return;
      clearTimeout(timer);
      timer = undefined;
      tickLater(Math.max(0, lookedMs + everyMs - performance.now()));
    },
    rest: (restMs, isOpen) => {
      const job: JobRest = {
        everyMs: restMs,
        mayBegin: async () => {
          const isFresh = seen !== undefined && performance.now() - seen.atMs < everyMs;
          const what = isFresh ? seen?.what : await lookNow();
          return what !== undefined && !isOpen(what);
        },
        begin: (wakeJob) => {
          if (stopped) return;
          resting.set(job, { isOpen, wake: wakeJob, untilMs: performance.now() + FORGOTTEN_AFTER * restMs });
          tickLater();
        },
        end: () => void resting.delete(job),
      };
      return job;
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      resting.clear();
      await Promise.all([looking, ticking]);
    },
  };
}

// Folds the books into the overview, every second. What was folded is in the database alone: a process that dies loses
// nothing, and of several processes one folds at a time.
import type { Clock } from '@svc-pay/core';
import type { FoldedStep } from '@svc-pay/postgres/console-service';

const EVERY_MS = 1_000;

type OverviewFoldOptions = {
  readonly fold: () => Promise<FoldedStep>;
  readonly clock: Clock;
  /** Told once for problems in a row. */
  readonly onProblem: (problem: unknown) => void;
};

type OverviewFold = {
  /** Age of the time up to which everything is counted; since the start where that is not known. */
  readonly lagMs: () => number;
  readonly stop: () => Promise<void>;
};

export function startOverviewFold({ fold, clock, onProblem }: OverviewFoldOptions): OverviewFold {
  let countedToMs = clock.nowMs();
  let failing = false;
  let stopping = false;
  let running: Promise<void> | undefined;
  const isStopping = () => stopping;

  async function foldAll(): Promise<void> {
    try {
      for (let more = true; more && !isStopping(); ) {
        const { busy, drained, asOfMs } = await fold();
        if (asOfMs !== null) countedToMs = asOfMs;
        more = !busy && !drained;
      }
      failing = false;
    } catch (problem) {
      if (!failing) onProblem(problem);
      failing = true;
    }
  }

  const timer = setInterval(() => {
    running ??= foldAll().finally(() => {
      running = undefined;
    });
  }, EVERY_MS);
  timer.unref();
  return {
    lagMs: () => Math.max(0, clock.nowMs() - countedToMs),
    async stop() {
      stopping = true;
      clearInterval(timer);
      await running;
    },
  };
}

// Looks for due deliveries and running replays while the jobs that are for them rest. Shards with due deliveries are woken by the
// look itself: a webhook does not wait for an invocation of the lookout's job. When nothing was due for a while looks are seldom, and
// the notification of a payment that ended brings one at once.
import { type Clock, createLookout, type Lookout, type Mode, type PeriodicJob } from '@svc-pay/core';
import type { OpenDeliveries } from '@svc-pay/postgres/webhooks-service';

export type DeliveryLookoutDeps = {
  readonly loadOpen: (modes: readonly Mode[], nowMs: number) => Promise<OpenDeliveries>;
  readonly clock: Clock;
  readonly modes: readonly Mode[];
  readonly everyMs: number;
  readonly onProblem: (problem: unknown) => void;
};

/** The engine runs a job that rests after about this time, whatever happens to the look. */
const REST_MS = 300_000;
/** A delivery that nobody announced, or whose announcement was lost, waits this long at most. */
const CALM_LOOK_MS = 500;
const CALM_AFTER_MS = 5_000;

export type DeliveryLookout = {
  readonly jobs: readonly PeriodicJob[];
  /** Deliveries may have been written. */
  readonly lookSoon: () => void;
  readonly stop: Lookout<OpenDeliveries>['stop'];
};

export function restDeliveryJobs(
  { lookout: wakeShards, replays }: { readonly lookout: PeriodicJob; readonly replays: PeriodicJob },
  { loadOpen, clock, modes, everyMs, onProblem }: DeliveryLookoutDeps,
): DeliveryLookout {
  const lookout = createLookout<OpenDeliveries>({
    look: async () => {
      const open = await loadOpen(modes, clock.nowMs());
      if (open.due) await wakeShards.run();
      return open;
    },
    everyMs,
    calm: { everyMs: CALM_LOOK_MS, afterMs: CALM_AFTER_MS, isBusy: ({ due, replay }) => due || replay },
    onProblem,
  });
  return {
    jobs: [
      { ...wakeShards, rest: lookout.rest(REST_MS, () => false) },
      { ...replays, rest: lookout.rest(REST_MS, ({ replay }) => replay) },
    ],
    lookSoon: lookout.lookSoon,
    stop: lookout.stop,
  };
}

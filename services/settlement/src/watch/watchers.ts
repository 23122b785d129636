// All periodic jobs of the settlement service: for its database and lanes, and for its chains (from the packages of the
// chain families).
import { ALL_NETWORKS, type Clock, noteFailures, type PeriodicJob, type WatchDeps, watcherOf } from '@svc-pay/core';
import type { SettlementStores } from '@svc-pay/postgres/settlement-service';
import { createIntentExpiry } from './expire-intents.ts';
import { createAnswerExpiry, createAuditSealer, createPartitionMaker } from './maintenance-jobs.ts';
import { createReconciler } from './reconcile.ts';

export type WatcherDeps = Pick<SettlementStores, 'maintenance' | 'findForgottenLanes'> &
  Pick<WatchDeps, 'log' | 'countFailure'> & {
    readonly clock: Clock;
    readonly wake: (drain: string, key: string) => Promise<void>;
  };

export function createWatchers(deps: WatcherDeps, ofChains: readonly PeriodicJob[]): readonly PeriodicJob[] {
  const { maintenance, findForgottenLanes, clock, wake } = deps;
  const failuresOf = (watcher: string) => noteFailures(ALL_NETWORKS, watcher, deps);
  return [
    createReconciler(findForgottenLanes, clock, wake, failuresOf('reconciler')),
    createIntentExpiry(maintenance, clock, failuresOf('intent-expiry')),
    createAuditSealer(maintenance, failuresOf('audit-sealer')),
    createPartitionMaker(maintenance),
    createAnswerExpiry(maintenance, clock),
    ...ofChains,
  ].map((job) => lasting(job, deps));
}

/** Logs a failed run and lets the job go on: if the engine retried it, a long outage would end the job for good. */
function lasting(job: PeriodicJob, { log, countFailure }: WatcherDeps): PeriodicJob {
  const { network, watcher } = watcherOf(job.name);
  return {
    ...job,
    run: async () => {
      try {
        await job.run();
      } catch (problem) {
        countFailure?.(network, watcher);
        log('periodic_job_failed', { network, watcher, err: problem });
      }
    },
  };
}

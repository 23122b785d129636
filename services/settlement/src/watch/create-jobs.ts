// All periodic jobs of the settlement service: for its database and lanes, and the watchers of its chains.
import {
  ALL_NETWORKS,
  createWatchers,
  noteFailures,
  type PeriodicJob,
  type WatchDeps,
  type WatchedChain,
  watcherOf,
} from '@svc-pay/core';
import type { SettlementStores } from '@svc-pay/postgres/settlement-service';
import { createIntentExpiry } from './expire-intents.ts';
import { createAnswerExpiry, createAuditSealer, createPartitionMaker } from './maintenance-jobs.ts';
import { createReconciler } from './reconcile.ts';
import { createHealthWatch, type HealthDeps } from './watch-health.ts';

export type JobDeps = WatchDeps &
  HealthDeps &
  Pick<SettlementStores, 'maintenance' | 'findForgottenLanes'> & {
    readonly wake: (drain: string, key: string) => Promise<void>;
  };

export function createJobs(chains: readonly WatchedChain[], deps: JobDeps): readonly PeriodicJob[] {
  const { maintenance, findForgottenLanes, clock, wake } = deps;
  const failuresOf = (watcher: string) => noteFailures(ALL_NETWORKS, watcher, deps);
  return [
    createReconciler(findForgottenLanes, clock, wake, failuresOf('reconciler')),
    createIntentExpiry(maintenance, clock, failuresOf('intent-expiry')),
    createAuditSealer(maintenance, failuresOf('audit-sealer')),
    createPartitionMaker(maintenance),
    createAnswerExpiry(maintenance, clock),
    ...chains.flatMap((chain) => [...createWatchers(chain, deps), createHealthWatch(chain, deps)]),
  ].map((job) => lasting(job, deps));
}

/** Logs a failed run and lets the job go on: if the engine retried it, a long outage would end the job for good. */
function lasting(job: PeriodicJob, { log, countFailure }: JobDeps): PeriodicJob {
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

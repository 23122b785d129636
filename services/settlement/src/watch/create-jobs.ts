// All periodic jobs of the settlement service: for its database and lanes, and the watchers of its chains.
import {
  ALL_NETWORKS,
  createChainReader,
  createDirectWatch,
  createLaneComparison,
  createRefundWatch,
  createTokenLedgerReader,
  createWatchers,
  type IcrcChain,
  type Lookout,
  type NodeProbe,
  noteFailures,
  type OpenWork,
  type PeriodicJob,
  READER_LIMITS,
  type ReaderChain,
  type ReaderLimits,
  type WatchDeps,
  type WatchedChain,
  watcherOf,
} from '@svc-pay/core';
import { createIcpRefundChain } from '@svc-pay/icp';
import type { SettlementStores } from '@svc-pay/postgres/settlement-service';
import type { ReaderMetrics } from '../observe/reader-metrics.ts';
import { createActivationNotices } from './announce-activations.ts';
import { createIntentExpiry } from './expire-intents.ts';
import {
  createAnswerExpiry,
  createAuditSealer,
  createLeaseExpiry,
  createRefundExpiry,
  createRefusedExpiry,
  createUnpaidRemoval,
} from './maintenance-jobs.ts';
import { createReconciler } from './reconcile.ts';
import { restJob } from './rest-jobs.ts';
import type { Retention } from './retention.ts';
import { type BudgetDeps, createBudgetWatch } from './watch-budgets.ts';
import { createHealthWatch, type HealthDeps } from './watch-health.ts';
import { createNodeWatch, type NodeWatchDeps } from './watch-nodes.ts';

export type JobDeps = WatchDeps &
  HealthDeps &
  BudgetDeps &
  NodeWatchDeps &
  Pick<
    SettlementStores,
    | 'maintenance'
    | 'findForgottenLanes'
    | 'announceActivations'
    | 'reader'
    | 'apply'
    | 'comparison'
    | 'direct'
    | 'refunds'
    | 'icrc'
  > & {
    readonly icrcChains: readonly IcrcChain[];
    readonly nodeProbes: readonly NodeProbe[];
    readonly wake: (drain: string, key: string) => Promise<void>;
    readonly metrics: { readonly reader: ReaderMetrics };
    readonly retention: Retention;
    readonly readerLimits: Pick<ReaderLimits, 'everyMs' | 'claimMs'>;
    /** Days after which intents leave that nobody paid. */
    readonly unpaidDays: number;
    readonly lookout: Lookout<OpenWork>;
    /** Longest time between two runs of a job that has nothing to do; 0: no job rests. */
    readonly restMs: number;
  };

export function createJobs(
  chains: readonly WatchedChain[],
  readers: readonly ReaderChain[],
  deps: JobDeps,
): readonly PeriodicJob[] {
  const { maintenance, findForgottenLanes, announceActivations, clock, wake } = deps;
  const failuresOf = (watcher: string) => noteFailures(ALL_NETWORKS, watcher, deps);
  return [
    createReconciler(findForgottenLanes, clock, wake, failuresOf('reconciler')),
    createIntentExpiry(maintenance, clock, failuresOf('intent-expiry')),
    createAuditSealer(maintenance, failuresOf('audit-sealer')),
    deps.retention.job,
    createAnswerExpiry(maintenance, clock),
    createRefusedExpiry(maintenance, clock),
    createLeaseExpiry(maintenance, clock),
    createUnpaidRemoval(maintenance, clock, deps.unpaidDays),
    createActivationNotices(announceActivations, deps),
    createRefundExpiry(deps.refunds, clock),
    ...chains.flatMap((chain) => [...createWatchers(chain, deps), createHealthWatch(chain, deps)]),
    ...chains.flatMap((chain) => createBudgetWatch(chain, deps)),
    ...deps.nodeProbes.map((probe) => createNodeWatch(probe, deps)),
    ...chains.map((chain) => createRefundWatch(chain, deps)),
    ...readers.flatMap((chain) => [
      createChainReader(chain, { ...deps, metrics: deps.metrics.reader }, { ...READER_LIMITS, ...deps.readerLimits }),
      createLaneComparison(chain.network, { ...deps, metrics: deps.metrics.reader }),
    ]),
    ...deps.icrcChains.flatMap((chain) => [
      createTokenLedgerReader(chain, { ...deps, onApplied: deps.metrics.reader.logApplied }),
      createRefundWatch(createIcpRefundChain(chain, deps.icrc), deps),
    ]),
    ...chains.flatMap((chain) => {
      const reader = readers.find(({ network }) => network === chain.network);
      return reader === undefined ? [] : [createDirectWatch({ ...chain, nodes: reader.nodes }, deps)];
    }),
  ].map((job) => lasting(restJob(job, deps.lookout, deps.restMs), deps));
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

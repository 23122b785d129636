// Decides whether a network can be offered to payers, from the relayers' coins, roles and caps, the processor and the
// queue. Records the answer for the API and logs each change.
import {
  ChainUnavailable,
  type Clock,
  type DeploymentDifference,
  DeploymentDiffers,
  type HealthStore,
  jobName,
  type ReadFitness,
  type WatchedChain,
  type WatchLog,
  type WatchLogEvent,
  withdrawalOf,
} from '@svc-pay/core';
import type { RestableJob } from './rest-jobs.ts';

const EVERY_MS = 1_000;
const ALARMS: Readonly<Record<string, WatchLogEvent>> = {
  fine: 'relayer_ready',
  low: 'relayer_low',
  empty: 'relayer_empty',
  not_allowed: 'relayer_not_allowed',
};

export type HealthDeps = {
  readonly health: HealthStore;
  readonly clock: Clock;
  readonly log: WatchLog;
  /** Limit for a waiting payment or pending transaction; beyond it the lane counts as stuck. */
  readonly stuckMs: number;
};

export function createHealthWatch(
  { network, readFitness }: Pick<WatchedChain, 'network' | 'readFitness'>,
  deps: HealthDeps,
): RestableJob {
  const { health, clock, stuckMs, log } = deps;
  let silentSinceMs: number | null = null;
  // Last known values: they stay in use while the chain is unreachable.
  let paused = false;
  let difference: DeploymentDifference | null = null;
  // Its end is told as soon as a withdrawn network can be offered again.
  let isOffered = false;

  const look = async (): Promise<Awaited<ReturnType<ReadFitness>> | undefined> => {
    const relayers = await health.listRelayerAddresses(network);
    try {
      const fitness = await readFitness(relayers);
      silentSinceMs = null;
      paused = fitness.paused;
      difference = fitness.difference ?? null;
      return fitness;
    } catch (problem) {
      if (problem instanceof DeploymentDiffers) {
        silentSinceMs = null;
        difference = problem.difference;
        return undefined;
      }
      if (!(problem instanceof ChainUnavailable)) throw problem;
      silentSinceMs ??= clock.nowMs();
      return undefined;
    }
  };

  return {
    name: jobName('health', network),
    everyMs: EVERY_MS,
    mayRest: () => isOffered,
    run: async () => {
      const fitness = await look();
      const nowMs = clock.nowMs();
      for (const { relayer, now } of fitness === undefined
        ? []
        : await health.recordFitness(network, fitness.relayers, nowMs)) {
        log(ALARMS[now] ?? 'relayer_condition_changed', { network, relayer, condition: now });
      }
      if (fitness !== undefined) await health.recordHourlyCaps(network, fitness.caps, nowMs);
      const reason = withdrawalOf(
        {
          ...(await health.loadLaneFacts(network, nowMs)),
          unreachableMs: silentSinceMs === null ? null : nowMs - silentSinceMs,
          paused,
          difference,
        },
        stuckMs,
      );
      isOffered = reason === null && silentSinceMs === null;
      if (!(await health.recordHealth(network, reason))) return;
      if (reason === null) log('network_offered', { network });
      else log('network_withdrawn', { network, reason });
    },
  };
}

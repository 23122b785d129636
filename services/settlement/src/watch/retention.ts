// Runs retention every hour. A large month takes longer than an invocation of the engine may, so a run goes on by itself
// and the next invocation finds it running.
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_NETWORKS, type ArchiveChoice, type PeriodicJob, type WatchBase } from '@svc-pay/core';
import type { MaintenanceStore, Retired } from '@svc-pay/postgres/settlement-service';

type RetentionDeps = WatchBase & {
  readonly archive: ArchiveChoice;
  readonly archiveDirectory: string | undefined;
};

export type Retention = {
  readonly job: PeriodicJob;
  /** Ends a run between two pages of rows; the next one goes on from there. */
  readonly stop: () => Promise<void>;
};

const EVERY_MS = 3_600_000;
/** How long an invocation waits for its run. */
const WAIT_MS = 3_000;
/** The engine stores this name: a new name would leave the old job's schedule behind. */
const NAME = 'partition-maker';

export function createRetention(store: Pick<MaintenanceStore, 'runRetention'>, deps: RetentionDeps): Retention {
  const { log, countFailure, clock, archive, archiveDirectory } = deps;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const fail = (event: 'periodic_job_failed' | 'partition_not_retired', details: object) => {
    countFailure?.(ALL_NETWORKS, NAME);
    log(event, { network: ALL_NETWORKS, watcher: NAME, ...details });
  };
  const onRetired = (partition: string, retired: Retired) => {
    log(retired.outcome === 'waits' ? 'partition_not_retired' : 'partition_retired', { partition, ...retired });
  };
  const run = async () => {
    try {
      await store.runRetention({
        archive,
        archiveDirectory,
        clock,
        stop: stopping.signal,
        onRetired,
        onFailure: (partition, problem) => fail('partition_not_retired', { partition, err: problem }),
      });
    } catch (problem) {
      if (!stopping.signal.aborted) fail('periodic_job_failed', { err: problem });
    }
  };
  return {
    job: {
      name: NAME,
      everyMs: EVERY_MS,
      run: async () => {
        if (stopping.signal.aborted) return;
        running ??= run().finally(() => {
          running = undefined;
        });
        await Promise.race([running, sleep(WAIT_MS, undefined, { ref: false })]);
      },
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

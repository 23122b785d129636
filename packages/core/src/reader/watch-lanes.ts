// Compares final batches with what the chain reader read of them. A difference is told once: either a lane recorded what is
// not on the chain, or the reader missed a log. A program decides neither.
import type { NetworkId } from '@svc-pay/protocol';
import { jobName, type PeriodicJob } from '../watch/periodic-job.ts';
import { createWalk } from '../watch/walk-pages.ts';
import type { WatchBase } from '../watch/watch-log.ts';
import { type BatchReading, compareWithLanes } from './compare-with-lanes.ts';

export type UncomparedBatch = BatchReading & {
  readonly id: string;
  readonly transactionId: string;
  readonly blockNumber: bigint;
};

export type LaneComparisonStore = {
  /** Final batches that are not compared yet and whose blocks every cursor of the network has passed, oldest first. */
  readonly loadUncompared: (
    network: NetworkId,
    after: UncomparedBatch | undefined,
    limit: number,
    nowMs: number,
  ) => Promise<readonly UncomparedBatch[]>;
  /** These are not loaded again. */
  readonly markCompared: (batchIds: readonly string[]) => Promise<void>;
};

export type LaneComparisonDeps = Pick<WatchBase, 'clock' | 'log'> & {
  readonly comparison: LaneComparisonStore;
  readonly metrics: { readonly batchDiffers: (network: string) => void };
};

const EVERY_MS = 10_000;
const PAGE_SIZE = 500;
const MAX_PAGES = 20;

export function createLaneComparison(network: NetworkId, deps: LaneComparisonDeps): PeriodicJob {
  const { comparison, clock, log, metrics } = deps;
  const walk = createWalk<UncomparedBatch>({
    load: (after, limit) => comparison.loadUncompared(network, after, limit, clock.nowMs()),
    pageSize: PAGE_SIZE,
    maxPages: MAX_PAGES,
  });
  return {
    name: jobName('comparison', network),
    everyMs: EVERY_MS,
    run: () =>
      walk(async (batches) => {
        const compared = batches.map((batch) => ({ batch, verdict: compareWithLanes(batch) }));
        for (const { batch, verdict } of compared) {
          if (verdict !== 'missing' && verdict !== 'surplus') continue;
          const { id, transactionId, completed, logsRead } = batch;
          metrics.batchDiffers(network);
          log('batch_logs_differ', { network, batchId: id, transactionId, completed, logsRead });
        }
        await comparison.markCompared(
          compared.flatMap(({ batch, verdict }) => (verdict === 'waits' ? [] : [batch.id])),
        );
      }),
  };
}

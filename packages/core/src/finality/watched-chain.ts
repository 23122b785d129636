// Port of the watchers to a chain. A chain only answers questions, by a quorum of its nodes; core decides what the answers
// mean. Calls throw `ChainUnavailable` when no node answers: then nothing is known, and nothing may be concluded. A call
// about many rows answers in the order given and throws as a whole: core asks again for fewer rows.
import type { ReadFitness } from '../lane/health-store.ts';
import type { PendingBatch } from '../lane/lane.ts';
import type { RefundChain } from '../refund/refund-chain.ts';
import type { AuthorizationChain } from '../stranded/authorization-chain.ts';
import type { PageLimits } from '../watch/page-limits.ts';
import type { PeriodicJob } from '../watch/periodic-job.ts';
import type { AgeingBatch, BatchBlock, MoveOptions, RecordedBatch } from './finality-store.ts';
import type { BatchVerdict, BlockVerdict } from './judge-batch-block.ts';

export type FinalityLimits = PageLimits & {
  /** Every run checks so many of the newest batches above the finalized height; 0 where a reorg shows at finality. */
  readonly newest: number;
};

/** A batch to be found on the chain, and the block in which it is recorded. */
export type BatchToFind = {
  readonly block: BatchBlock;
  readonly batch: PendingBatch & Pick<RecordedBatch, 'settledIds'>;
};

export type FinalityChain = Pick<AuthorizationChain, 'network'> & {
  /** Price of the coin that pays for transactions. */
  readonly gasCoin: MoveOptions['gasCoin'];
  readonly limits: { readonly finality: FinalityLimits };
  /** The highest block, or slot, that is final. */
  readonly readFinalizedNumber: () => Promise<bigint>;
  /** The cheap question: do the recorded blocks still exist? `unread` where only the whole transactions tell. */
  readonly judgeBlocks: (batches: readonly (BatchBlock | AgeingBatch)[]) => Promise<readonly BlockVerdict[]>;
  /** Finds the batches by their transactions. */
  readonly judgeBatches: (batches: readonly BatchToFind[]) => Promise<readonly BatchVerdict[]>;
};

export type WatchedChain = FinalityChain &
  AuthorizationChain &
  RefundChain & {
    readonly readFitness: ReadFitness;
    /** Jobs that only this family has. */
    readonly extraJobs: readonly PeriodicJob[];
  };

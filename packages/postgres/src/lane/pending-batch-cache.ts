// Caches the contents of pending batches. Contents are the largest part of a lane's rows and hardly change while the
// batch is pending, so each round reads only a fingerprint per batch: transaction ids, number of items, sum of batch
// limits. If the fingerprint differs from the cached contents, the contents are read again.
import { type Lane, laneKey, type PendingBatch } from '@svc-pay/core';

export type BatchContents = Pick<PendingBatch, 'transactions' | 'items'>;

/** The batch as the database has it now. */
type BatchFingerprint = {
  readonly transactionIds: readonly string[];
  readonly itemCount: number;
  /** Sum over all items. After a revert and a reorg the same batch is pending again with smaller batch limits. */
  readonly batchLimits: number;
};

export type PendingBatchCache = {
  readonly keep: (lane: Lane, batchId: string, contents: BatchContents) => void;
  /** Undefined when the batch is not cached, or its fingerprint has changed. */
  readonly recall: (lane: Lane, batchId: string, fingerprint: BatchFingerprint) => BatchContents | undefined;
  /** Drops every other batch of the lane from the cache. */
  readonly keepOnly: (lane: Lane, batchIds: ReadonlySet<string>) => void;
};

export function createPendingBatchCache(): PendingBatchCache {
  const lanes = new Map<string, Map<string, BatchContents>>();
  return {
    keep: (lane, batchId, contents) => {
      const key = laneKey(lane);
      const batches = lanes.get(key) ?? new Map<string, BatchContents>();
      lanes.set(key, batches.set(batchId, contents));
    },
    recall: (lane, batchId, fingerprint) => {
      const contents = lanes.get(laneKey(lane))?.get(batchId);
      return contents !== undefined && hasFingerprint(contents, fingerprint) ? contents : undefined;
    },
    keepOnly: (lane, batchIds) => {
      const batches = lanes.get(laneKey(lane));
      for (const batchId of batches?.keys() ?? []) if (!batchIds.has(batchId)) batches?.delete(batchId);
    },
  };
}

function hasFingerprint(
  { transactions, items }: BatchContents,
  { transactionIds, itemCount, batchLimits }: BatchFingerprint,
): boolean {
  return (
    items.length === itemCount &&
    items.reduce((sum, { batchLimit = 0 }) => sum + batchLimit, 0) === batchLimits &&
    transactions.length === transactionIds.length &&
    transactions.every(({ transactionId }, index) => transactionId === transactionIds[index])
  );
}

import { latestTransaction, type PendingBatch } from './lane.ts';
import { type ExpiringLaneDeps, noteBroadcast } from './lane-deps.ts';
import { mapConcurrent } from './map-concurrent.ts';

/** Limit of concurrent requests to the chain. */
export const MOST_AT_ONCE = 32;

/**
 * Broadcasts the latest transaction of each batch, in no order. Returns the ids of batches that a node may have taken.
 */
export async function broadcastAll(
  { chain, log }: ExpiringLaneDeps,
  batches: readonly Pick<PendingBatch, 'id' | 'transactions'>[],
): Promise<readonly string[]> {
  const offered = await mapConcurrent(MOST_AT_ONCE, batches, async (batch) => {
    const latest = latestTransaction(batch);
    const broadcast = await chain.broadcast(latest.raw);
    noteBroadcast(log, batch.id, latest.transactionId, broadcast);
    return broadcast.outcome;
  });
  return batches.filter((_, index) => offered[index] !== 'not_sent').map(({ id }) => id);
}

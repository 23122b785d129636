import { latestTransaction, type PendingBatch } from './lane.ts';
import { type ExpiringLaneDeps, noteBroadcast } from './lane-deps.ts';
import { mapConcurrent } from './map-concurrent.ts';
import { attemptOf, firstAttemptOf, type SendAttempt } from './send-attempt.ts';

/** Limit of concurrent requests to the chain. */
export const MOST_AT_ONCE = 32;

/** Broadcasts the latest transaction of each batch, in no order. */
export async function broadcastAll(
  { chain, pace, log }: ExpiringLaneDeps,
  batches: readonly Pick<PendingBatch, 'id' | 'items' | 'transactions' | 'linkedTo' | 'seenIn'>[],
  { isFirst }: { readonly isFirst: boolean },
): Promise<readonly SendAttempt[]> {
  return mapConcurrent(MOST_AT_ONCE, batches, async (batch) => {
    const latest = latestTransaction(batch);
    const broadcast = await chain.broadcast(latest.raw);
    noteBroadcast(log, batch.id, latest.transactionId, broadcast);
    const taken = broadcast.outcome !== 'not_sent';
    return isFirst
      ? firstAttemptOf(batch, latest.transactionId, taken, pace)
      : attemptOf(batch, latest.transactionId, taken);
  });
}

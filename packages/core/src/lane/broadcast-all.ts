import { atOnce } from './at-once.ts';
import type { FlyingBatch } from './lane.ts';
import { type LaneParts, noteBroadcast } from './lane-parts.ts';

/** Questions to the chain under way at once. */
export const MOST_AT_ONCE = 32;

/** In no order, the latest transaction of each. Returns the ids of those that may be on their way. */
export async function broadcastAll(
  { chain, log }: LaneParts,
  batches: readonly Pick<FlyingBatch, 'id' | 'transactions'>[],
): Promise<readonly string[]> {
  const offered = await atOnce(MOST_AT_ONCE, batches, async ({ id, transactions }) => {
    const latest = transactions.at(-1);
    if (latest === undefined) throw new Error(`batch ${id} has no transaction`);
    const broadcast = await chain.broadcast(latest.raw);
    noteBroadcast(log, id, latest.transactionId, broadcast);
    return broadcast.outcome;
  });
  return batches.filter((_, index) => offered[index] !== 'not_sent').map(({ id }) => id);
}

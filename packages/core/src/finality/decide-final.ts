// Decides what becomes of the items of a batch whose block is final.
import type { UnsettledOutcome } from '../lane/judge-item.ts';
import type { AgeingBatch } from './finality-store.ts';
import { type JudgedItems, judgeUnsettledItems, type RevertedBatches } from './judge-unsettled.ts';

/**
 * `outcomes` are in the order of `batch.openItems`. `reverted` is read after the batch was marked as final, because its
 * own revert is final then.
 */
export function decideFinal(
  batch: Pick<AgeingBatch, 'id' | 'openItems'>,
  outcomes: readonly UnsettledOutcome[],
  reverted: RevertedBatches,
): JudgedItems {
  requireOutcomes(batch, outcomes);
  return judgeUnsettledItems(
    batch.openItems.map((item, index) => ({ item, outcome: outcomes[index] ?? 'no_evidence' })),
    reverted,
  );
}

/** Throws if a batch got outcomes of another number of items. */
export function requireOutcomes(
  { id, openItems }: Pick<AgeingBatch, 'id' | 'openItems'>,
  outcomes: readonly UnsettledOutcome[],
): void {
  if (outcomes.length !== openItems.length)
    throw new Error(`batch ${id} has ${openItems.length} open items, and ${outcomes.length} outcomes were given`);
}

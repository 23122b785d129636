// The lanes' own step: a batch that the chain has is recorded with the lane's proofs.
import { isConfirmedBatch } from '../lane/is-confirmed.ts';
import { isRefundBatch, type PendingBatch } from '../lane/lane.ts';
import type { LaneLease } from '../lane/lane-store.ts';
import type { RestoreChain } from './restore-chain.ts';
import type { NetworkRestore } from './restore-report.ts';
import type { RestoreLaneStore } from './restore-store.ts';

/** Thrown if a process took over a lane during the restore: a service was started. */
export class LaneTakenOver extends Error {
  override readonly name = 'LaneTakenOver';
}

export type RestoreFindMined = Pick<RestoreChain, 'findMined'>;

export type BatchesToRecord = {
  readonly chain: RestoreFindMined;
  readonly laneStore: RestoreLaneStore;
  readonly report: NetworkRestore;
  /** Called for each batch that the chain does not have, or on which its nodes do not agree. */
  readonly onUnmined?: (batch: PendingBatch) => void;
};

/** Records mined batches with enough confirmations. Returns the number of mined batches without enough. */
export async function recordPendingBatches(
  { chain, laneStore, report, onUnmined }: BatchesToRecord,
  lease: LaneLease,
): Promise<number> {
  const pendingBatches = await laneStore.loadPendingBatches(lease);
  const mined = await chain.findMined(pendingBatches);
  let unconfirmed = 0;
  for (const batch of pendingBatches) {
    const found = mined.find(({ batchId }) => batchId === batch.id);
    if (found === undefined) {
      onUnmined?.(batch);
      continue;
    }
    if (!isConfirmedBatch(found, batch.items)) {
      unconfirmed += 1;
      continue;
    }
    if (!(await laneStore.recordMined(lease, [{ batch, mined: found }]))) throw new LaneTakenOver(lease.relayer);
    if (isRefundBatch(batch)) continue;
    report.completedPayments += found.items.filter(({ outcome }) => outcome === 'settled').length;
  }
  return unconfirmed;
}

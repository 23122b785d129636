// Compares the pending batches of a lane with the chain: mined ones are recorded, and those that no node reports are
// offered again. Until a batch is mined or can never be, its nonce carries the same call and nothing else.
import { isConfirmedBatch } from './is-confirmed.ts';
import type { PendingBatch } from './lane.ts';
import type { LaneDeps, LaneStrategy } from './lane-deps.ts';
import type { FoundBatch, LaneLease } from './lane-store.ts';
import { isSeenAnew } from './send-attempt.ts';

export type ReconciledBatches = {
  /** Batches that are still pending. */
  readonly pendingBatches: readonly PendingBatch[];
  /** Pending batches that no node has mined yet; the others wait for confirmations. */
  readonly unmined: readonly PendingBatch[];
  /** Number of batches that are no longer pending. */
  readonly landed: number;
  /** No new batch may be sent behind the pending ones. */
  readonly stalled: boolean;
};

export async function reconcilePendingBatches(
  { store, chain, clock, pace, log }: LaneDeps,
  strategy: LaneStrategy,
  lease: LaneLease,
): Promise<ReconciledBatches | 'taken_over'> {
  const all = await store.loadPendingBatches(lease);
  if (all.length === 0) return { pendingBatches: [], unmined: [], landed: 0, stalled: false };
  const mined = await chain.findMined(all);
  const minedOf = new Map(mined.map((one) => [one.batchId, one]));
  const found = all.flatMap((batch): FoundBatch[] => {
    const its = minedOf.get(batch.id);
    return its !== undefined && isConfirmedBatch(its, batch.items) ? [{ batch, mined: its }] : [];
  });
  if (found.length > 0 && !(await store.recordMined(lease, found))) return 'taken_over';
  for (const one of found) log('batch_mined', detailsOf(one));
  const recorded = new Set(found.map(({ batch }) => batch.id));
  const open = all.filter(({ id }) => !recorded.has(id));
  const seen = open.flatMap((batch): FoundBatch[] => {
    const its = minedOf.get(batch.id);
    return its !== undefined && isSeenAnew(batch, its) ? [{ batch, mined: its }] : [];
  });
  if (seen.length > 0 && !(await store.recordSeen(lease, seen))) return 'taken_over';
  // Mined batches still waiting for confirmations are not re-sent.
  const unheard = open.filter(
    ({ id, status, sentAtMs }) =>
      !minedOf.has(id) && (status === 'signed' || clock.nowMs() - sentAtMs >= pace.resendMs),
  );
  const offered = open.length === 0 ? NOTHING_OPEN : await strategy.offerAgain(open, unheard);
  if (offered === 'taken_over') return offered;
  const pendingBatches = open.filter(({ id }) => !offered.givenUp.includes(id));
  return {
    pendingBatches,
    unmined: pendingBatches.filter(({ id }) => !minedOf.has(id)),
    landed: all.length - pendingBatches.length,
    stalled: offered.stalled,
  };
}

const NOTHING_OPEN = { givenUp: [], stalled: false };

/** Records batches that can never be mined. False when the lane was taken over. */
export async function giveUpBatches(
  { store, log }: Pick<LaneDeps, 'store' | 'log'>,
  lease: LaneLease,
  batchIds: readonly string[],
): Promise<boolean> {
  for (const batchId of batchIds) {
    if (!(await store.recordReplaced(lease, batchId))) return false;
    log('batch_replaced', { batchId });
  }
  return true;
}

function detailsOf({ batch, mined }: FoundBatch): object {
  const settled = mined.items.filter(({ outcome }) => outcome === 'settled').length;
  const { transactionId, reverted } = mined;
  return { batchId: batch.id, transactionId, payments: batch.items.length, settled, reverted };
}

// Compares the pending batches of a lane with the chain: mined ones are recorded, and those that no node reports are
// offered again. Until a batch is mined or can never be, its nonce carries the same call and nothing else.
import { isConfirmedBatch } from './is-confirmed.ts';
import type { PendingBatch } from './lane.ts';
import type { LaneDeps, LaneStrategy } from './lane-deps.ts';
import type { LaneRecorder } from './lane-recorder.ts';
import type { FoundBatch, LaneLease } from './lane-store.ts';
import { isSeenAnew, overdueLinks } from './send-attempt.ts';

export type ReconciledBatches = {
  /** Batches that are still pending, those included that are mined and being recorded. */
  readonly pendingBatches: readonly PendingBatch[];
  /** How many of them are being recorded. */
  readonly recording: number;
  /** Pending batches that no node has mined yet; the others wait for confirmations. */
  readonly unmined: readonly PendingBatch[];
  /** Number of batches that were found mined, or can never be. */
  readonly landed: number;
  /** No new batch may be sent behind the pending ones. */
  readonly stalled: boolean;
};

export async function reconcilePendingBatches(
  { store, chain, clock, pace }: LaneDeps,
  strategy: LaneStrategy,
  lease: LaneLease,
  recorder: LaneRecorder,
): Promise<ReconciledBatches | 'taken_over'> {
  // Before the load: a batch that is recorded meanwhile may still be in its answer.
  const taken = recorder.underWay();
  const loaded = await store.loadPendingBatches(lease);
  const all = loaded.filter(({ id }) => !taken.has(id));
  const mined = all.length === 0 ? [] : await chain.findMined(all);
  const minedOf = new Map(mined.map((one) => [one.batchId, one]));
  const found = all.flatMap((batch): FoundBatch[] => {
    const its = minedOf.get(batch.id);
    return its !== undefined && isConfirmedBatch(its, batch.items) ? [{ batch, mined: its }] : [];
  });
  if (!(await recorder.record(found))) return 'taken_over';
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
  const unlinked = open.filter((batch) => !minedOf.has(batch.id) && !unheard.includes(batch));
  const links = overdueLinks(unlinked, clock.nowMs(), pace);
  if (links.length > 0) await store.recordAttempts(lease, links);
  const offered = open.length === 0 ? NOTHING_OPEN : await strategy.offerAgain(open, unheard);
  if (offered === 'taken_over') return offered;
  const left = open.filter(({ id }) => !offered.givenUp.includes(id));
  const underWay = recorder.underWay();
  const pendingBatches = loaded.filter((batch) => underWay.has(batch.id) || left.includes(batch));
  return {
    pendingBatches,
    recording: pendingBatches.length - left.length,
    unmined: left.filter(({ id }) => !minedOf.has(id)),
    landed: all.length - left.length,
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

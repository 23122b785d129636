// Re-sends or fee-bumps each pending batch until it is mined or can never be. Until then its nonce carries the same
// call and nothing else; only the fee may change.
import { broadcastAll } from './broadcast-all.ts';
import { noteObstacle } from './check-nonce.ts';
import { isConfirmedBatch } from './is-confirmed.ts';
import type { PendingBatch, SignedTransaction } from './lane.ts';
import { type LaneDeps, noteBroadcast } from './lane-deps.ts';
import type { FoundBatch, LaneLease, LaneState } from './lane-store.ts';

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
  deps: LaneDeps,
  lease: LaneLease,
  state: LaneState,
  all: readonly PendingBatch[],
): Promise<ReconciledBatches | 'taken_over'> {
  if (all.length === 0) return { pendingBatches: [], unmined: [], landed: 0, stalled: false };
  const { store, chain, clock, pace, log } = deps;
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
  // Mined batches still waiting for confirmations are not re-sent.
  const unheard = open.filter(
    ({ id, status, sentAtMs }) =>
      !minedOf.has(id) && (status === 'signed' || clock.nowMs() - sentAtMs >= pace.resendMs),
  );
  const isUnmined = ({ id }: PendingBatch) => !minedOf.has(id);
  const [first] = open;
  if (first === undefined || unheard.length === 0) {
    const stalled = state.obstacle !== null && open.length > 0;
    return { pendingBatches: open, unmined: open.filter(isUnmined), landed: all.length - open.length, stalled };
  }

  const { lowest, highest } = await chain.nonceRange();
  const overtaken = unheard.filter(({ nonce }) => chain.expiring || nonce < lowest);
  const replaced = overtaken.length === 0 ? [] : await chain.findReplaced(overtaken);
  for (const batchId of replaced) {
    if (!(await store.recordReplaced(lease, batchId))) return 'taken_over';
    log('batch_replaced', { batchId });
  }
  const gap = first.nonce > highest;
  await noteObstacle(deps, lease, state, gap ? 'nonce_gap' : null, { database: first.nonce, chain: highest });
  const offered = await offerAgain(
    deps,
    lease,
    open,
    unheard.filter((batch) => (chain.expiring ? !replaced.includes(batch.id) : !overtaken.includes(batch))),
    // Behind a nonce gap no fee gets a transaction mined.
    !gap,
  );
  if (offered === 'taken_over') return offered;
  const pendingBatches = open.filter(({ id }) => !replaced.includes(id));
  const stalled = gap || offered === 'refused';
  return {
    pendingBatches,
    unmined: pendingBatches.filter(isUnmined),
    landed: all.length - pendingBatches.length,
    stalled,
  };
}

/** Broadcasts in nonce order, so that the batch that blocks all others goes first. */
async function offerAgain(
  deps: LaneDeps,
  lease: LaneLease,
  open: readonly PendingBatch[],
  unheard: readonly PendingBatch[],
  mayRaise: boolean,
): Promise<'offered' | 'refused' | 'taken_over'> {
  const { store, chain, log } = deps;
  if (chain.expiring) {
    const heard = await broadcastAll(deps, unheard);
    if (heard.length > 0) await store.markBroadcast(lease, heard);
    return 'offered';
  }
  const taken: string[] = [];
  let refused = false;
  for (const batch of unheard) {
    const raised = mayRaise ? await raise(deps, lease, open, batch) : undefined;
    if (raised === 'taken_over') return raised;
    const transactions = raised === undefined ? batch.transactions : [...batch.transactions, raised];
    // The latest transaction first; an earlier, cheaper one when no node takes the latest.
    for (const { transactionId, raw } of transactions.toReversed()) {
      const broadcast = await chain.broadcast(raw);
      noteBroadcast(log, batch.id, transactionId, broadcast);
      if (broadcast.outcome === 'not_sent') continue;
      taken.push(batch.id);
      break;
    }
    if (batch.status === 'signed' && !taken.includes(batch.id)) refused = true;
  }
  if (taken.length > 0) await store.markBroadcast(lease, taken);
  return refused ? 'refused' : 'offered';
}

/** A fee bump is stored before it is broadcast, like the first transaction. */
async function raise(
  { store, chain, clock, pace, log }: LaneDeps,
  lease: LaneLease,
  open: readonly PendingBatch[],
  batch: PendingBatch,
): Promise<SignedTransaction | undefined | 'taken_over'> {
  const latest = latestOf(batch);
  if (clock.nowMs() - (latest.signedAtMs ?? batch.sentAtMs) < pace.bumpMs) return undefined;
  const isFirst = batch === open[0];
  const raised = await chain.raise(latest, isFirst ? 'first' : 'behind');
  if (raised === undefined) {
    if (isFirst) log('fee_not_bumped', { batchId: batch.id, transactionId: latest.transactionId });
    return undefined;
  }
  const others = open.filter(({ id }) => id !== batch.id).map(latestOf);
  if (!(await chain.affords([...others, raised]))) {
    log('fee_bump_unaffordable', { batchId: batch.id, transactionId: latest.transactionId });
    return undefined;
  }
  if (!(await store.storeTransaction(lease, batch.id, raised))) return 'taken_over';
  log('fee_bumped', { batchId: batch.id, transactionId: raised.transactionId });
  return raised;
}

export function latestOf({ id, transactions }: PendingBatch): SignedTransaction {
  const latest = transactions.at(-1);
  if (latest === undefined) throw new Error(`batch ${id} has no transaction`);
  return latest;
}

function detailsOf({ batch, mined }: FoundBatch): object {
  const settled = mined.items.filter(({ outcome }) => outcome === 'settled').length;
  const { transactionId, reverted } = mined;
  return { batchId: batch.id, transactionId, payments: batch.items.length, settled, reverted };
}

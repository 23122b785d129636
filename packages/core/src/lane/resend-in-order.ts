// Broadcasts pending batches again in nonce order, so that the batch that blocks all others goes first. A batch that
// waits too long gets a fee bump: the same call under the same nonce.
import { latestTransaction, type PendingBatch, type SignedTransaction } from './lane.ts';
import { noteBroadcast, type SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease } from './lane-store.ts';
import { attemptOf, type SendAttempt } from './send-attempt.ts';

/** `refused`: no node takes a batch that was never broadcast. */
export async function resendInOrder(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  open: readonly PendingBatch[],
  unheard: readonly PendingBatch[],
  { mayRaise }: { readonly mayRaise: boolean },
): Promise<'offered' | 'refused' | 'taken_over'> {
  const { store, chain, log } = deps;
  const attempts: SendAttempt[] = [];
  let refused = false;
  for (const batch of unheard) {
    const raised = mayRaise ? await raise(deps, lease, open, batch) : undefined;
    if (raised === 'taken_over') return raised;
    const transactions = raised === undefined ? batch.transactions : [...batch.transactions, raised];
    let attempted = latestTransaction({ id: batch.id, transactions });
    let taken = false;
    // The latest transaction first; an earlier, cheaper one when no node takes the latest.
    for (const signed of transactions.toReversed()) {
      const broadcast = await chain.broadcast(signed.raw);
      noteBroadcast(log, batch.id, signed.transactionId, broadcast);
      if (broadcast.outcome === 'not_sent') continue;
      [attempted, taken] = [signed, true];
      break;
    }
    attempts.push(attemptOf({ ...batch, transactions }, attempted.transactionId, taken));
    if (batch.status === 'signed' && !taken) refused = true;
  }
  const news = attempts.filter(({ taken, link }) => taken || link !== undefined);
  if (news.length > 0) await store.recordAttempts(lease, news);
  return refused ? 'refused' : 'offered';
}

/** A fee bump is stored before it is broadcast, like the first transaction. */
async function raise(
  { store, chain, clock, pace, log }: SequencedLaneDeps,
  lease: LaneLease,
  open: readonly PendingBatch[],
  batch: PendingBatch,
): Promise<SignedTransaction | undefined | 'taken_over'> {
  const latest = latestTransaction(batch);
  if (clock.nowMs() - (latest.signedAtMs ?? batch.sentAtMs) < pace.bumpMs) return undefined;
  const isFirst = batch === open[0];
  const raised = await chain.raise(latest, isFirst ? 'first' : 'behind');
  if (raised === undefined) {
    if (isFirst) log('fee_not_bumped', { batchId: batch.id, transactionId: latest.transactionId });
    return undefined;
  }
  const others = open.filter(({ id }) => id !== batch.id).map(latestTransaction);
  if (!(await chain.affords([...others, raised]))) {
    log('fee_bump_unaffordable', { batchId: batch.id, transactionId: latest.transactionId });
    return undefined;
  }
  if (!(await store.storeTransaction(lease, batch.id, raised))) return 'taken_over';
  log('fee_bumped', { batchId: batch.id, transactionId: raised.transactionId });
  return raised;
}

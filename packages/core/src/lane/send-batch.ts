import { newId } from '@svc-pay/protocol/ids';
import type { SoloBudget } from '../budget/judge-wallet.ts';
import { type LaneItem, latestTransaction, type PendingBatch } from './lane.ts';
import { idsOf, noteBroadcast, type RoundResult, type SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease } from './lane-store.ts';
import { firstAttemptOf } from './send-attempt.ts';

/** The bytes are stored before they are broadcast: from then on the payments may be on the chain. */
export async function sendBatch(
  { store, chain, clock, pace, log }: SequencedLaneDeps,
  lease: LaneLease,
  nonce: bigint,
  items: readonly LaneItem[],
  pendingBatches: readonly PendingBatch[],
  /** Given if gas budgets bind the payment: until its result is recorded, the most that it may cost counts as lost. */
  bound?: Pick<SoloBudget, 'boundSends'>,
): Promise<RoundResult | 'too_dear'> {
  const signed = await chain.sign(items, nonce);
  if (!(await chain.affords([...pendingBatches.map(latestTransaction), signed]))) {
    log('relayer_cannot_pay', idsOf(items));
    return 'too_dear';
  }
  const id = newId('batch', clock.nowMs());
  // Not stored: another process has the lease or took one of these payments, or another lane used the same gas budget.
  // Nothing was sent; run the next round.
  const atRiskAtomic = bound && signed.worstCostAtomic;
  const stored = { id, nonce, signed, items, atRiskAtomic };
  if (!(await store.storeBatches(lease, [stored], bound?.boundSends))) return 'moved';
  const broadcast = await chain.broadcast(signed.raw);
  noteBroadcast(log, id, signed.transactionId, broadcast);
  const taken = broadcast.outcome !== 'not_sent';
  const batch = { id, items, transactions: [signed] };
  await store.recordAttempts(lease, [firstAttemptOf(batch, signed.transactionId, taken, pace)]);
  return taken ? 'moved' : 'blocked';
}

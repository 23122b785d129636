// An attempt to send a transaction of a batch, and what it means for the payments of the batch: those that have no result
// `linkMs` after the first attempt name the transaction, whatever the nodes answered.
import { isRefundBatch, latestTransaction, type PendingBatch } from './lane.ts';
import type { MinedBatch } from './lane-chain.ts';
import type { LanePace } from './lane-deps.ts';

export type SendAttempt = {
  readonly batch: Pick<PendingBatch, 'id' | 'items'>;
  /** A node may have the bytes. */
  readonly taken: boolean;
  /** The transaction that the payments name from now on. Absent where they name it already. */
  readonly link?: string;
};

/** A batch as an attempt finds it. `transactions` are in the order of signing. */
type AttemptedBatch = Pick<PendingBatch, 'id' | 'items' | 'transactions' | 'linkedTo' | 'seenIn'>;

/**
 * The first attempt to send a batch. Its payments do not name the transaction before `linkMs`: nearly all of them have their
 * result by then, and a link is a version more of the payment and of its intent. A refund names it at once.
 */
export function firstAttemptOf(
  batch: AttemptedBatch,
  transactionId: string,
  taken: boolean,
  { linkMs }: Pick<LanePace, 'linkMs'>,
): SendAttempt {
  const { id, items } = batch;
  return linkMs > 0 && !isRefundBatch(batch) ? { batch: { id, items }, taken } : attemptOf(batch, transactionId, taken);
}

/** Links of pending batches whose payments name no transaction although the first attempt is `linkMs` ago. */
export function overdueLinks(
  batches: readonly PendingBatch[],
  nowMs: number,
  { linkMs }: Pick<LanePace, 'linkMs'>,
): readonly SendAttempt[] {
  return batches
    .filter(({ linkedTo, sentAtMs }) => linkedTo === undefined && nowMs - sentAtMs >= linkMs)
    .map((batch) => attemptOf(batch, latestTransaction(batch).transactionId, false));
}

/**
 * The link moves to another transaction of the batch only when a node may have it and it was signed later: nodes that
 * take now this one and now that one do not change what the merchant sees. Which of them is mined, the chain says.
 */
export function attemptOf(batch: AttemptedBatch, transactionId: string, taken: boolean): SendAttempt {
  const { id, items, transactions, linkedTo, seenIn } = batch;
  const signedAt = (of: string) => transactions.findIndex((one) => one.transactionId === of);
  const moves = linkedTo === undefined || (taken && signedAt(transactionId) > signedAt(linkedTo));
  const link = moves ? transactionId : linkedTo;
  // Sent again: the block in which it was seen is gone.
  const isNews = moves || seenIn !== undefined;
  return { batch: { id, items }, taken, ...(isNews && { link }) };
}

/** The batch is in another block, or under another of its transactions, than its payments name. */
export function isSeenAnew({ linkedTo, seenIn }: PendingBatch, { transactionId, blockHash }: MinedBatch): boolean {
  return seenIn !== blockHash || linkedTo !== transactionId;
}

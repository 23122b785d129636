// What the nodes tell of a transaction, as a lane records it. A batch is one payment here.
import type { FlyingBatch, LaneItem, MinedBatch, MinedItem } from '@svc-pay/core';
import { atomicAmount, breakDown, payoutTerms } from '@svc-pay/money';
import { confirmationsOf } from '../confirm/commitment.ts';
import type { Fate } from '../confirm/fate.ts';
import { provesTransfer } from '../confirm/proves-transfer.ts';
import type { Landing } from '../confirm/read-landing.ts';
import { receiptOf } from '../message/program-accounts.ts';
import { termsOf, transferIn } from './item-terms.ts';
import { outcomeOfError } from './outcome-of-error.ts';
import { messageTermsOf } from './sign-message-item.ts';

export type SeenFate = Extract<Fate, { readonly kind: 'landed' | 'failed' }>;

export async function minedBatchOf(
  batch: FlyingBatch,
  transactionId: string,
  { kind, commitment, landing }: SeenFate,
): Promise<MinedBatch> {
  const [item] = batch.items;
  if (item === undefined || batch.items.length !== 1) throw new Error(`batch ${batch.id} is not of one payment`);
  return {
    batchId: batch.id,
    transactionId,
    blockNumber: landing.slot,
    // Of a slot there is one block, or none.
    blockHash: `slot:${landing.slot}`,
    confirmations: confirmationsOf(commitment),
    reverted: kind === 'failed',
    gasCostAtomic: landing.costLamports - (await lentTo(item, landing)),
    feeRecipient: transferIn(item).feeRecipient,
    items: [kind === 'failed' ? failedItem(item, landing) : await landedItem(item, landing)],
  };
}

/** Rent that lies in a receipt is the relayer's still: it comes back when the receipt is closed. */
async function lentTo(item: LaneItem, { lamports }: Landing): Promise<bigint> {
  if (item.kind !== 'solana_message') return 0n;
  const { address } = await receiptOf(messageTermsOf(item));
  return lamports.get(address) ?? 0n;
}

async function landedItem(item: LaneItem, landing: Landing): Promise<MinedItem> {
  const { paymentId } = item;
  if (!(await provesTransfer(landing, termsOf(item)))) return { paymentId, outcome: 'no_evidence' };
  return { paymentId, outcome: 'settled', logIndex: 0, transferLogIndex: 0, feeAtomic: feeOf(item), escrowedFor: [] };
}

/** It was charged for and undone; the same bytes never run again. */
function failedItem({ paymentId }: LaneItem, { error }: Landing): MinedItem {
  const meaning = outcomeOfError(error);
  // `authorization_used`: another transaction made the receipt, its money has moved, and nobody has proven where to.
  const named = meaning === 'insufficient_funds' || meaning === 'expired' || meaning === 'authorization_used';
  return { paymentId, outcome: named ? meaning : 'pull_refused' };
}

/** The proof holds every leg to the terms, so the terms say what the fee was. */
function feeOf({ paymentId, payout, settledAtomic }: LaneItem): bigint {
  const made = payoutTerms(payout);
  const amount = atomicAmount(settledAtomic);
  const broken = made.ok ? breakDown(amount, amount, made.terms) : undefined;
  if (broken?.ok !== true) throw new Error(`payment ${paymentId} can’t be broken down`);
  return broken.breakdown.feeAtomic;
}

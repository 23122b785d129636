// Converts a transaction outcome to the mined batch that a lane records. A batch has one payment here.
import type { LaneItem, MinedBatch, MinedItem, PendingBatch } from '@svc-pay/core';
import { atomicAmount, breakDown, payoutTerms } from '@svc-pay/money';
import { messageTermsOf } from '../message/build-message-item.ts';
import { receiptOf } from '../message/program-accounts.ts';
import { provesTransfer } from '../prove/proves-transfer.ts';
import type { Landing } from '../prove/read-balance-changes.ts';
import { termsOf, transferIn } from '../transfer/item-terms.ts';
import { confirmationsOf } from './commitment.ts';
import { outcomeOfError } from './outcome-of-error.ts';
import type { TransactionOutcome } from './transaction-outcome.ts';

export type SeenOutcome = Extract<TransactionOutcome, { readonly kind: 'landed' | 'failed' }>;

export async function minedBatchOf(
  batch: PendingBatch,
  transactionId: string,
  { kind, commitment, landing }: SeenOutcome,
): Promise<MinedBatch> {
  const [item] = batch.items;
  if (item === undefined || batch.items.length !== 1) throw new Error(`batch ${batch.id} is not of one payment`);
  return {
    batchId: batch.id,
    transactionId,
    blockNumber: landing.slot,
    // A slot has one block or none.
    blockHash: `slot:${landing.slot}`,
    confirmations: confirmationsOf(commitment),
    reverted: kind === 'failed',
    gasCostAtomic: landing.costLamports - (await lentTo(item, landing)),
    feeRecipient: transferIn(item).feeRecipient,
    items: [kind === 'failed' ? failedItem(item, landing) : await landedItem(item, landing)],
  };
}

/** Rent in a receipt still belongs to the relayer: it comes back when the receipt is closed. */
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

/** The transaction failed and was charged for; the same bytes never run again. */
function failedItem({ paymentId }: LaneItem, { error }: Landing): MinedItem {
  const meaning = outcomeOfError(error);
  // `authorization_used`: another transaction made the receipt; its money has moved, and nothing proves where to.
  const named = meaning === 'insufficient_funds' || meaning === 'expired' || meaning === 'authorization_used';
  return { paymentId, outcome: named ? meaning : 'pull_refused' };
}

/** The proof checks every leg against the terms, so the terms determine the fee. */
function feeOf({ paymentId, payout, settledAtomic, refund }: LaneItem): bigint {
  if (refund !== undefined) return 0n;
  const made = payoutTerms(payout);
  const amount = atomicAmount(settledAtomic);
  const broken = made.ok ? breakDown(amount, amount, made.terms) : undefined;
  if (broken?.ok !== true) throw new Error(`payment ${paymentId}: its amount can't be divided by payout ${payout.id}`);
  return broken.breakdown.feeAtomic;
}

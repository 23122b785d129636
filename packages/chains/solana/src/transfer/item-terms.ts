// Converts a lane item to the terms of its transaction.
import type { LaneItem, SignedTransfer } from '@svc-pay/core';
import { atomicAmount, payoutTerms } from '@svc-pay/money';
import { refundTerms } from '../refund/refund-terms.ts';
import type { Lifetime } from '../rpc/solana-node.ts';
import { legsOf } from './legs.ts';
import type { TransferTerms } from './transfer-terms.ts';

/** Throws for a payment of another kind, which never belongs in this lane. */
export function transferIn({ paymentId, transfer }: LaneItem): SignedTransfer {
  if (transfer === undefined) throw new Error(`payment ${paymentId} carries no signed transaction`);
  return transfer;
}

export function termsOf(item: LaneItem): TransferTerms {
  if (item.refund !== undefined) return refundTermsOf(item, item.refund.id);
  const { relayer, feeRecipient, tokenProgram, decimals, memo } = transferIn(item);
  const { merchant } = item.payout;
  const made = payoutTerms(item.payout);
  if (!made.ok) throw new Error(`payment ${item.paymentId}: its payout is ${made.code}`);
  return {
    intentId: item.intentId,
    payer: item.payer,
    relayer,
    mint: item.asset,
    tokenProgram,
    decimals,
    legs: legsOf(atomicAmount(item.settledAtomic), { merchant, feeRecipient, terms: made.terms }),
    ...(memo !== undefined && { memo }),
  };
}

/** The payout has no part in a refund: the wallet pays, and whoever is named in place of a processor gets it all. */
function refundTermsOf(item: LaneItem, refundId: string): TransferTerms {
  const { relayer, tokenProgram, decimals } = transferIn(item);
  const { nonce, payer: wallet, processor: recipient, settledAtomic: amountAtomic, asset: mint } = item;
  return refundTerms({ refundId, nonce, wallet, recipient, amountAtomic, relayer, mint, tokenProgram, decimals });
}

export function lifetimeOf(item: LaneItem): Lifetime {
  const { blockhash, lastValidBlockHeight, slot } = transferIn(item);
  return { blockhash, lastValidBlockHeight, slot };
}

/** The transaction as the payer's wallet sent it. */
export function signedBase64({ signature }: LaneItem): string {
  return Buffer.from(signature.slice(2), 'hex').toString('base64');
}

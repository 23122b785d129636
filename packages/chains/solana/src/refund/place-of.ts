import type { RefundOutcome } from '@svc-pay/core';
import type { Landing } from '../prove/read-balance-changes.ts';

type Place = Pick<
  Extract<RefundOutcome, { readonly outcome: 'transferred' }>,
  'transactionId' | 'logIndex' | 'blockNumber'
>;

/** A transaction proves one thing on Solana, payment or refund, so its position is always 0. */
export function placeOf(transactionId: string, { slot }: Landing): Place {
  return { transactionId, logIndex: 0, blockNumber: slot };
}

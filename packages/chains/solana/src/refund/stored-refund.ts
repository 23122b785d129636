import type { Refund } from '@svc-pay/core';
import type { Lifetime } from '../rpc/solana-node.ts';
import type { RefundTransfer } from './refund-terms.ts';

export type StoredRefund = { readonly transfer: RefundTransfer; readonly lifetime: Lifetime };

/** The transaction that a refund was prepared with. Throws for a refund without one. */
export function storedRefund(refund: Refund): StoredRefund {
  const { id: refundId, wallet, recipient, asset: mint, transfer, nonce, amountAtomic } = refund;
  if (transfer === null || nonce === null || amountAtomic === null)
    throw new Error(`refund ${refundId} has no transaction that its wallet could sign`);
  const { relayer, tokenProgram, decimals, blockhash, lastValidBlockHeight, slot } = transfer;
  return {
    transfer: { refundId, nonce, wallet, recipient, amountAtomic, relayer, mint, tokenProgram, decimals },
    lifetime: { blockhash, lastValidBlockHeight, slot },
  };
}

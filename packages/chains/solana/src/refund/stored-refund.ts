import type { StoredRefund } from '@svc-pay/core';
import type { Lifetime } from '../rpc/solana-node.ts';
import type { SolanaRefundTransfer } from './refund-terms.ts';

export type StoredSolanaRefund = { readonly transfer: SolanaRefundTransfer; readonly lifetime: Lifetime };

/** The transaction that a refund was prepared with. Throws for a refund without one. */
export function storedRefund(refund: StoredRefund): StoredSolanaRefund {
  const { id: refundId, wallet, recipient, asset: mint, transfer, nonce, amountAtomic } = refund;
  if (transfer === null || nonce === null || amountAtomic === null)
    throw new Error(`refund ${refundId} has no transaction that its wallet could sign`);
  const { relayer, tokenProgram, decimals, blockhash, lastValidBlockHeight, slot } = transfer;
  return {
    transfer: { refundId, nonce, wallet, recipient, amountAtomic, relayer, mint, tokenProgram, decimals },
    lifetime: { blockhash, lastValidBlockHeight, slot },
  };
}

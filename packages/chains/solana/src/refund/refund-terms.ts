// The transaction of a refund: one transfer from the merchant's wallet to the payer, with the refund in its memo and the
// refund's nonce as a reference. The relayer pays for it, as for a payment.
import { refundMemo, refundReference } from '@svc-pay/protocol/solana';
import type { TransferTerms } from '../transfer/transfer-terms.ts';

export type SolanaRefundTransfer = {
  readonly refundId: string;
  /** 0x-hex of 32 bytes. */
  readonly nonce: string;
  /** The merchant's wallet, which signs. */
  readonly wallet: string;
  readonly recipient: string;
  readonly amountAtomic: bigint;
  readonly relayer: string;
  readonly mint: string;
  readonly tokenProgram: string;
  readonly decimals: number;
};

export function refundTerms(refund: SolanaRefundTransfer): TransferTerms {
  const { refundId, nonce, wallet, recipient, amountAtomic, relayer, mint, tokenProgram, decimals } = refund;
  return {
    // A refund names no intent: its memo is its own.
    intentId: '',
    payer: wallet,
    relayer,
    mint,
    tokenProgram,
    decimals,
    legs: [{ owner: recipient, amountAtomic }],
    memo: refundMemo(refundId),
    reference: refundReference(nonce),
  };
}

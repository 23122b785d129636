// Extra fields of a Solana acceptance. Our own clients sign the prepared transaction. A stock X402 client builds its
// own from fee payer, blockhash and memo; where `payTo` gets the whole amount that is the same payment.

import { memoOf, type PreparedTransfer } from '../transfer/transfer-terms.ts';
import { base64Of } from '../verify/read-transaction.ts';

export type SolanaExtra = {
  readonly intentId: string;
  /** Address of the mint. */
  readonly ledgerId: string;
  readonly feePayer: string;
  readonly transactionBase64: string;
  readonly lastValidBlockHeight: number;
  readonly recentBlockhash?: string;
  readonly memo?: string;
};

export function acceptanceExtra({ terms, lifetime, wire }: PreparedTransfer, payTo: string): SolanaExtra {
  const [leg, ...others] = terms.legs;
  const isWhole = leg?.owner === payTo && others.length === 0;
  return {
    intentId: terms.intentId,
    ledgerId: terms.mint,
    feePayer: terms.relayer,
    transactionBase64: base64Of(wire),
    lastValidBlockHeight: Number(lifetime.lastValidBlockHeight),
    ...(isWhole && { recentBlockhash: lifetime.blockhash, memo: memoOf(terms.intentId) }),
  };
}

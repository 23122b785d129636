/**
 * Data that a transaction was prepared with: the payer's own transaction, or ours around the payer's signed text. Only
 * one relayer can send it, and only for a short time.
 */
export type SignedTransfer = {
  readonly relayer: string;
  /** Recipient of the platform's fee. */
  readonly feeRecipient: string;
  readonly tokenProgram: string;
  readonly decimals: number;
  readonly blockhash: string;
  readonly lastValidBlockHeight: bigint;
  /** Slot in which it was prepared: no earlier block can include it. */
  readonly slot: bigint;
  /** Set where the payer signed a text: the program that verifies it. */
  readonly program?: string;
  /** Memo of a transaction that was signed before its intent existed; null for none. Absent: the memo names the intent. */
  readonly memo?: string | null;
};

/** What a Solana refund was prepared with. The reference is the nonce as an address. */
export type SolanaRefundTerms = Pick<
  SignedTransfer,
  'relayer' | 'tokenProgram' | 'decimals' | 'blockhash' | 'lastValidBlockHeight' | 'slot'
> & {
  readonly reference: string;
  /** Token account of the wallet, which pays. */
  readonly sourceAccount: string;
  /** Token account that receives the money. */
  readonly destinationAccount: string;
};

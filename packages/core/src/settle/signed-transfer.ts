/** What a transaction was prepared with, be it the payer's or ours around the payer's signed text. It can be carried by one relayer only, and for a short time. */
export type SignedTransfer = {
  readonly relayer: string;
  /** Who gets the platform's fee. */
  readonly feeRecipient: string;
  readonly tokenProgram: string;
  readonly decimals: number;
  readonly blockhash: string;
  readonly lastValidBlockHeight: bigint;
  /** In which it was prepared: no earlier block can hold it. */
  readonly slot: bigint;
  /** Where the payer signed a text: the program that checks it. */
  readonly program?: string;
};

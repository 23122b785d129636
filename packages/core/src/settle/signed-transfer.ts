/** What a signed transaction was prepared with. It can be carried by one relayer only, and for a short time. */
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
};

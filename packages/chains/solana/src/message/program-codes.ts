// Error codes of the program; its source has the same numbers.
export const PROGRAM_CODES = {
  accounts: 7001n,
  programs: 7002n,
  data: 7003n,
  source: 7004n,
  window: 7005n,
  noEvidence: 7006n,
  signer: 7007n,
  text: 7008n,
  receipt: 7009n,
  used: 7010n,
  open: 7011n,
  nested: 7012n,
} as const;

/** Rent of a receipt, which has no data. The relayer gets it back when the receipt is closed. */
export const RECEIPT_LAMPORTS = 890_880n;

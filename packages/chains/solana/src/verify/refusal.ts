import type { ErrorCode } from '@svc-pay/protocol/errors';

/** The exact flaw, for the merchant's log of attempts; a client acts on the error code. */
export type TransactionFlaw =
  | 'base64'
  | 'size'
  | 'undecodable'
  | 'trailing_bytes'
  | 'version'
  | 'lookup_tables'
  | 'fee_payer'
  | 'payer'
  | 'extra_signer'
  | 'signature'
  | 'lifetime'
  | 'compute_budget'
  | 'guards'
  | 'accounts'
  | 'instructions'
  | 'mint'
  | 'destination'
  | 'amount'
  | 'memo';

const CODES = {
  base64: 'invalid_payment_header',
  size: 'invalid_payment_header',
  undecodable: 'invalid_payment_header',
  trailing_bytes: 'invalid_payment_header',
  version: 'invalid_payment_header',
  lookup_tables: 'invalid_payment_header',
  fee_payer: 'transaction_altered',
  payer: 'sender_mismatch',
  extra_signer: 'transaction_altered',
  signature: 'invalid_signature',
  lifetime: 'transaction_altered',
  compute_budget: 'transaction_altered',
  guards: 'transaction_altered',
  accounts: 'transaction_altered',
  instructions: 'transaction_altered',
  mint: 'asset_mismatch',
  destination: 'recipient_mismatch',
  amount: 'amount_mismatch',
  memo: 'transaction_altered',
} as const satisfies Record<TransactionFlaw, ErrorCode>;

export type TransactionRefusal = {
  readonly ok: false;
  readonly code: (typeof CODES)[TransactionFlaw];
  readonly flaw: TransactionFlaw;
};

export function refuse(flaw: TransactionFlaw): TransactionRefusal {
  return { ok: false, code: CODES[flaw], flaw };
}

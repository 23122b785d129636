// Every claim and every authorization is inserted here.
import { insertText } from '../database/insert-text.ts';

/** SQL expression of each value: a column name if the insert reads rows, a placeholder if it writes one row. */
export type NewClaim = {
  readonly claim_key: string;
  readonly account_id: string;
  readonly mode: string;
  readonly intent_id: string;
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
  /** Left out if the claim has no payment yet. */
  readonly payment_id?: string;
  readonly created_at: string;
};

export type NewAuthorization = Omit<NewClaim, 'payment_id'> & {
  readonly kind: string;
  readonly recipient: string;
  readonly cap: string;
  readonly valid_after: string;
  readonly valid_before: string;
  readonly signature: string;
  readonly by_contract: string;
  /** Of the contract wallet. */
  readonly code_hash?: string;
  /** Only for a signed Solana transaction. */
  readonly transfer?: string;
  /** These three are for an authorization that pays the merchant's wallet. */
  readonly direct?: string;
  readonly bound?: string;
  readonly unused_at_block?: string;
  /** `true` for the cap of an up-to intent. */
  readonly upto?: string;
};

export function insertClaim({ payment_id = 'null', ...claim }: NewClaim, from?: string): string {
  return insertText('svc.claims', { ...claim, payment_id }, from);
}

export function insertAuthorization(
  { transfer = 'null', code_hash = 'null', ...given }: NewAuthorization,
  from?: string,
): string {
  const { direct = 'false', bound = 'false', unused_at_block = 'null', upto = 'false', ...signed } = given;
  const columns = { ...signed, code_hash, transfer, direct, bound, unused_at_block, upto };
  return insertText('svc.authorizations', columns, from);
}

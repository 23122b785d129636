import type { Lifetime } from '../rpc/solana-node.ts';
import type { Leg } from './legs.ts';

/** All terms that a payment's transaction contains; two transactions with the same terms move the same money. */
export type TransferTerms = {
  readonly intentId: string;
  readonly payer: string;
  /** Fee payer and first signer. */
  readonly relayer: string;
  readonly mint: string;
  readonly tokenProgram: string;
  readonly decimals: number;
  /** At least one; none of them to the payer. */
  readonly legs: readonly Leg[];
  /** Chosen by the payer's client, null for none. Absent where the memo names the intent, as in all that we prepare. */
  readonly memo?: string | null;
  /** Key that the first transfer names as a read-only account, so that the transaction is found by it. */
  readonly reference?: string;
};

/** Record of a transaction that a wallet is asked to sign. */
export type PreparedTransfer = {
  readonly terms: TransferTerms;
  readonly lifetime: Lifetime;
  /** SHA-256 of the message, hex. */
  readonly messageHash: string;
  /** Both signatures are empty. */
  readonly wire: Uint8Array;
};

/** A memo that begins so names an intent of this service. */
export const MEMO_PREFIX = 'svc:';

/** Text of the memo, which publicly binds the transaction to its intent. */
export const memoOf = (intentId: string) => `${MEMO_PREFIX}${intentId}`;

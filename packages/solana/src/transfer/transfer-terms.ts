import type { Lifetime } from '../rpc/solana-node.ts';
import type { Leg } from './legs.ts';

/** Everything about a payment that its transaction says; two transactions with these terms move the same money. */
export type TransferTerms = {
  readonly intentId: string;
  readonly payer: string;
  /** Pays the fee; the first signer. */
  readonly relayer: string;
  readonly mint: string;
  readonly tokenProgram: string;
  readonly decimals: number;
  /** At least one; none of them to the payer. */
  readonly legs: readonly Leg[];
};

/** What is kept of a transaction that a wallet is asked to sign. */
export type PreparedTransfer = {
  readonly terms: TransferTerms;
  readonly lifetime: Lifetime;
  /** SHA-256 of the message, hex. */
  readonly messageHash: string;
  /** With empty places for both signatures. */
  readonly wire: Uint8Array;
};

/** What the memo says; it binds the transaction to its intent where everybody can read it. */
export const memoOf = (intentId: string) => `svc:${intentId}`;

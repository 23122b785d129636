// Builds the transaction that a wallet is asked to sign. It has no effect before the relayer has signed too, so it may
// be prepared any number of times.
import { createHash } from 'node:crypto';
import { compileUnsigned } from '../bytes/compile-message.ts';
import type { Lifetime } from '../rpc/solana-node.ts';
import { budgetFor, budgetInstructions } from './compute-budget.ts';
import { isWalletAddress } from './token-account.ts';
import { transferInstructions } from './transfer-instructions.ts';
import type { PreparedTransfer, TransferTerms } from './transfer-terms.ts';

/** Size of a packet without its headers: no node accepts more. */
export const MAX_WIRE_BYTES = 1_232;

export type PrepareRefusal =
  /** The payer is not an address, or the address has no private key. */
  | 'payer_invalid'
  /** A transfer to the payer's own account pays nobody. */
  | 'payer_is_recipient'
  | 'payer_is_relayer'
  | 'too_many_legs';

export type Prepared =
  | { readonly ok: true; readonly prepared: PreparedTransfer }
  | { readonly ok: false; readonly code: PrepareRefusal };

/** Undefined for a payer who can pay by these terms. No other field of the terms comes from outside. */
export function payerProblem({
  payer,
  relayer,
  legs,
}: TransferTerms): Exclude<PrepareRefusal, 'too_many_legs'> | undefined {
  if (!isWalletAddress(payer)) return 'payer_invalid';
  if (payer === relayer) return 'payer_is_relayer';
  return legs.some(({ owner }) => owner === payer) ? 'payer_is_recipient' : undefined;
}

export async function prepareTransfer(terms: TransferTerms, lifetime: Lifetime): Promise<Prepared> {
  const { relayer } = terms;
  const problem = payerProblem(terms);
  if (problem !== undefined) return { ok: false, code: problem };
  return compile(terms, lifetime, relayer, 0);
}

/** The terms as a transaction of this fee payer. */
export async function compile(
  terms: TransferTerms,
  lifetime: Lifetime,
  feePayer: string,
  version: 0 | 'legacy',
): Promise<Prepared> {
  const instructions = [...budgetInstructions(budgetFor(terms.legs.length)), ...(await transferInstructions(terms))];
  const { wire, message } = compileUnsigned({ version, feePayer, blockhash: lifetime.blockhash, instructions });
  if (wire.length > MAX_WIRE_BYTES) return { ok: false, code: 'too_many_legs' };
  return { ok: true, prepared: { terms, lifetime, messageHash: hashOf(message), wire } };
}

export function hashOf(message: { readonly length: number } & ArrayLike<number>): string {
  return createHash('sha256').update(Uint8Array.from(message)).digest('hex');
}

// The transaction that a wallet is asked to sign. Nothing can come of it before the relayer has signed too, so it may be
// prepared again as often as somebody likes.
import { createHash } from 'node:crypto';
import {
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  isAddress,
  isOffCurveAddress,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { Lifetime } from '../rpc/solana-node.ts';
import { budgetFor, budgetInstructions } from './compute-budget.ts';
import { transferInstructions } from './transfer-instructions.ts';
import type { PreparedTransfer, TransferTerms } from './transfer-terms.ts';

/** Of a packet, less its headers: no node takes more. */
export const MAX_WIRE_BYTES = 1_232;

export type PrepareRefusal =
  /** The payer is no address, or no key stands behind it. */
  | 'payer_invalid'
  /** Moving money from one's own account to itself pays nobody. */
  | 'payer_is_recipient'
  | 'payer_is_relayer'
  | 'too_many_legs';

export type Prepared =
  | { readonly ok: true; readonly prepared: PreparedTransfer }
  | { readonly ok: false; readonly code: PrepareRefusal };

/** Undefined for a payer who can pay by these terms. Nothing else about the terms comes from a stranger. */
export function payerProblem({
  payer,
  relayer,
  legs,
}: TransferTerms): Exclude<PrepareRefusal, 'too_many_legs'> | undefined {
  if (!isAddress(payer) || isOffCurveAddress(payer)) return 'payer_invalid';
  if (payer === relayer) return 'payer_is_relayer';
  return legs.some(({ owner }) => owner === payer) ? 'payer_is_recipient' : undefined;
}

export async function prepareTransfer(terms: TransferTerms, lifetime: Lifetime): Promise<Prepared> {
  const { relayer, legs } = terms;
  const problem = payerProblem(terms);
  if (problem !== undefined) return { ok: false, code: problem };
  const instructions = [...budgetInstructions(budgetFor(legs.length)), ...(await transferInstructions(terms))];
  const { blockhash, lastValidBlockHeight } = lifetime;
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(address(relayer), draft),
    (draft) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash as Blockhash, lastValidBlockHeight }, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  );
  const transaction = compileTransaction(message);
  const wire = Uint8Array.from(getTransactionEncoder().encode(transaction));
  if (wire.length > MAX_WIRE_BYTES) return { ok: false, code: 'too_many_legs' };
  return { ok: true, prepared: { terms, lifetime, messageHash: hashOf(transaction.messageBytes), wire } };
}

export function hashOf(message: { readonly length: number } & ArrayLike<number>): string {
  return createHash('sha256').update(Uint8Array.from(message)).digest('hex');
}

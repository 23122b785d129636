import type { Leg } from '../transfer/legs.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';

/** Everything about a payment by a signed text. The text names all of it, some by its digest. */
export type MessageTerms = TransferTerms & {
  /** The program that holds the payer's approval; one for each cluster. */
  readonly program: string;
  readonly validAfterSeconds: bigint;
  readonly validBeforeSeconds: bigint;
  /** 32 bytes, hex without prefix. */
  readonly nonce: string;
};

/** The program takes an account once: who receives twice gets the sum. */
export function mergedLegs(legs: readonly Leg[]): readonly Leg[] {
  const sums = new Map<string, bigint>();
  for (const { owner, amountAtomic } of legs) sums.set(owner, (sums.get(owner) ?? 0n) + amountAtomic);
  return [...sums].map(([owner, amountAtomic]) => ({ owner, amountAtomic }));
}

export const totalOf = ({ legs }: Pick<TransferTerms, 'legs'>) =>
  legs.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);

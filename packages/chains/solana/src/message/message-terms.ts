import type { Leg } from '../transfer/legs.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';

/** All terms of a payment by signed text. The text contains all of them, some through its digest. */
export type MessageTerms = TransferTerms & {
  /** The program that holds the payer's approval; one per cluster. */
  readonly program: string;
  readonly validAfterSeconds: bigint;
  readonly validBeforeSeconds: bigint;
  /** 32 bytes, hex without prefix. */
  readonly nonce: string;
};

/** The program takes each account once, so a recipient with several legs gets their sum. */
export function mergedLegs(legs: readonly Leg[]): readonly Leg[] {
  const sums = new Map<string, bigint>();
  for (const { owner, amountAtomic } of legs) sums.set(owner, (sums.get(owner) ?? 0n) + amountAtomic);
  return [...sums].map(([owner, amountAtomic]) => ({ owner, amountAtomic }));
}

export const totalOf = ({ legs }: Pick<TransferTerms, 'legs'>) =>
  legs.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);

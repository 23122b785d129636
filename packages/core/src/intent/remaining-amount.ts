// What remains to be paid of an intent that was paid in part. A header pays the whole amount that was signed for; a
// transaction that the payer sends himself pays the rest.
import { type AtomicAmount, atomicAmount } from '@svc-pay/money';
import type { PaidTerms } from './stored-acceptance.ts';

export type Remaining = {
  readonly amount: AtomicAmount;
  /** What arrived and counts; zero for nothing. */
  readonly paid: AtomicAmount;
};

/**
 * Undefined where nothing remains. A direct payment has one amount only: its nonce is bound to it. `parts`: by position of the
 * acceptance, what was paid and not given back.
 */
export function remainingOf(
  { position, amount, direct }: Pick<PaidTerms, 'position' | 'amount' | 'direct'>,
  parts: ReadonlyMap<number, bigint>,
): Remaining | undefined {
  const paid = parts.get(position) ?? 0n;
  if (paid >= amount) return undefined;
  if (direct !== undefined || paid <= 0n) return { amount, paid: atomicAmount(0n) };
  return { amount: atomicAmount(amount - paid), paid: atomicAmount(paid) };
}

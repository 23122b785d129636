// Divides a cap when a payment settles, by the processor's arithmetic: fee and splits are floors of the settled amount,
// the merchant gets the rest of it, and the payer gets the unused cap back.

import { type AtomicAmount, subtractAtomic } from './atomic-amount.ts';
import { shareOf } from './basis-points.ts';
import type { PayoutTerms } from './payout-terms.ts';

/** fee + splits + merchant = settled, and settled + refund = cap, exactly. Splits are in the order of the terms. */
export type Breakdown = {
  readonly feeAtomic: AtomicAmount;
  readonly splits: readonly { readonly to: string; readonly amountAtomic: AtomicAmount }[];
  readonly merchantAtomic: AtomicAmount;
  readonly refundAtomic: AtomicAmount;
};

export type BreakdownResult =
  | { readonly ok: true; readonly breakdown: Breakdown }
  | { readonly ok: false; readonly code: 'settled_zero' | 'settled_over_cap' };

/** An exact payment settles its whole cap. */
export function breakDown(settled: AtomicAmount, cap: AtomicAmount, terms: PayoutTerms): BreakdownResult {
  if (settled === 0n) return { ok: false, code: 'settled_zero' };
  if (settled > cap) return { ok: false, code: 'settled_over_cap' };

  const feeAtomic = shareOf(settled, terms.feeBps);
  const splits = terms.splits.map(({ to, bps }) => ({ to, amountAtomic: shareOf(settled, bps) }));
  // Checked subtractions one by one: shares above the whole throw instead of creating money.
  const merchantAtomic = splits.reduce(
    (rest, split) => subtractAtomic(rest, split.amountAtomic),
    subtractAtomic(settled, feeAtomic),
  );
  return { ok: true, breakdown: { feeAtomic, splits, merchantAtomic, refundAtomic: subtractAtomic(cap, settled) } };
}

// Terms by which a settled amount is divided: the platform's fee, up to eight splits, and the rest to the merchant. The
// limits are the processor's, so terms that pass here can be registered on chain.

import { type BasisPoints, isBasisPoints, WHOLE_BPS } from './basis-points.ts';
import type { Branded } from './brand.ts';

export const MAX_FEE_BPS = 1_000;
export const MAX_SPLITS = 8;

export type Split = { readonly to: string; readonly bps: BasisPoints };
export type PayoutTerms = Branded<{ readonly feeBps: BasisPoints; readonly splits: readonly Split[] }, 'PayoutTerms'>;

export type PayoutTermsResult =
  | { readonly ok: true; readonly terms: PayoutTerms }
  | { readonly ok: false; readonly code: 'fee_out_of_range' | 'too_many_splits' | 'shares_over_whole' }
  | { readonly ok: false; readonly code: 'split_out_of_range' | 'split_without_recipient'; readonly index: number };

/** Terms are copied and frozen: later changes of the input have no effect. One recipient may have several splits. */
export function payoutTerms(given: {
  readonly feeBps: number;
  readonly splits: readonly { readonly to: string; readonly bps: number }[];
}): PayoutTermsResult {
  const { feeBps } = given;
  if (!isBasisPoints(feeBps) || feeBps > MAX_FEE_BPS) return { ok: false, code: 'fee_out_of_range' };
  if (given.splits.length > MAX_SPLITS) return { ok: false, code: 'too_many_splits' };

  const splits: Split[] = [];
  let sumBps: number = feeBps;
  for (const [index, { to, bps }] of given.splits.entries()) {
    if (to === '') return { ok: false, code: 'split_without_recipient', index };
    if (!isBasisPoints(bps) || bps === 0) return { ok: false, code: 'split_out_of_range', index };
    sumBps += bps;
    splits.push(Object.freeze({ to, bps }));
  }
  if (sumBps > WHOLE_BPS) return { ok: false, code: 'shares_over_whole' };
  return { ok: true, terms: Object.freeze({ feeBps, splits: Object.freeze(splits) }) as PayoutTerms };
}

// What a proven refund changes in the totals of its payment.
import type { RefundTotals } from './judge-refund.ts';
import type { StoredRefund } from './refund.ts';

export type CountedRefund = {
  readonly totals: RefundTotals;
  /** Less than the transfer where the wallet gave back more than was left: the rest is the merchant's gift. */
  readonly countedAtomic: bigint;
};

/**
 * Totals after a transfer of `amountAtomic`, by a refund that had reserved `reservedAtomic`. Undefined for a reported transfer
 * of more than is left: it proves something else.
 */
export function countRefund(
  totals: RefundTotals,
  { kind, reservedAtomic }: { readonly kind: StoredRefund['kind']; readonly reservedAtomic: bigint },
  amountAtomic: bigint,
): CountedRefund | undefined {
  const others = totals.reservedAtomic - reservedAtomic;
  if (others < 0n) throw new Error(`a refund reserves ${reservedAtomic}, its payment ${totals.reservedAtomic}`);
  const room = totals.paidAtomic - totals.refundedAtomic - others;
  if (kind === 'reported' && amountAtomic > room) return undefined;
  const countedAtomic = amountAtomic < room ? amountAtomic : room;
  return {
    totals: { ...totals, refundedAtomic: totals.refundedAtomic + countedAtomic, reservedAtomic: others },
    countedAtomic,
  };
}

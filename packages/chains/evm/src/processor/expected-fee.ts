import type { LaneItem } from '@svc-pay/core';
import { atomicAmount, breakDown, payoutTerms } from '@svc-pay/money';

/**
 * Whether the processor took the fee of the payment's own terms. A different fee means that registry and database have
 * different terms: the payment cannot be booked, so it counts as not proven and is held.
 */
export function isExpectedFee({ payout, settledAtomic, capAtomic }: LaneItem, feeAtomic: bigint): boolean {
  const terms = payoutTerms(payout);
  if (!terms.ok) return false;
  const broken = breakDown(atomicAmount(settledAtomic), atomicAmount(capAtomic), terms.terms);
  return broken.ok && broken.breakdown.feeAtomic === feeAtomic;
}

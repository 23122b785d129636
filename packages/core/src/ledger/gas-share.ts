// What a transaction cost, laid on the payments it settled.
import { type AtomicAmount, atomicAmount, externalCost, type Rate, tokenAmount } from '@svc-pay/money';

/** `count` shares that add up to the total, to the unit; what does not divide is on the first. */
export function shareGas(totalAtomic: bigint, count: number): readonly bigint[] {
  if (totalAtomic < 0n) throw new RangeError('a cost is not negative');
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError('a cost is shared by one payment or more');
  const each = totalAtomic / BigInt(count);
  const first = totalAtomic - each * BigInt(count - 1);
  return Array.from({ length: count }, (_, index) => (index === 0 ? first : each));
}

/**
 * A share of gas in units of the payment's token, rounded up, for `payments.external_cost_amount`. Zero where the coin
 * or the token has no price: the exact cost stands in the books, in the coin itself.
 */
export function externalCostAtomic(
  gasShareAtomic: bigint,
  rates: { readonly gasCoin: Rate | undefined; readonly token: Rate | undefined },
): AtomicAmount {
  const { gasCoin, token } = rates;
  if (gasCoin === undefined || token === undefined) return atomicAmount(0n);
  return externalCost(tokenAmount(gasCoin.token, gasShareAtomic), gasCoin, token).atomic;
}

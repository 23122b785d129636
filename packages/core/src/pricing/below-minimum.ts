import { type AtomicAmount, type Rate, tokenAmount, tokenToUsdMicros, type UsdMicros } from '@svc-pay/money';

/** Worth less than the smallest payment that is taken. Rounded up, so that exactly the minimum is enough. */
export function isBelowMinimum(amount: AtomicAmount, rate: Rate, minimum: UsdMicros | null): boolean {
  if (minimum === null) return false;
  const worth = tokenToUsdMicros(tokenAmount(rate.token, amount), rate, 'up');
  return worth.ok && worth.micros < minimum;
}

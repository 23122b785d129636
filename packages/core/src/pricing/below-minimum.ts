import {
  type AtomicAmount,
  parseUsd,
  type Rate,
  tokenAmount,
  tokenToUsdMicros,
  type UsdMicros,
  usdToMicros,
} from '@svc-pay/money';

/** Whether the amount is below the minimum. The value is rounded up, so that exactly the minimum is enough. */
export function isBelowMinimum(amount: AtomicAmount, rate: Rate, minimum: UsdMicros | null): boolean {
  if (minimum === null) return false;
  const worth = tokenToUsdMicros(tokenAmount(rate.token, amount), rate, 'up');
  return worth.ok && worth.micros < minimum;
}

/** The higher of two minimums, of account and network; null when neither has one. */
export function higherMinimum(one: UsdMicros | null, other: UsdMicros | null): UsdMicros | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

/** Reads dollars from the configuration. Zero is no minimum (null); a fraction of a millionth is rounded up. */
export function minimumFromUsd(dollars: string): UsdMicros | null {
  const read = parseUsd(dollars);
  if (!read.ok) throw new Error(`${dollars} is no amount of dollars: ${read.code}`);
  return read.usd === 0n ? null : usdToMicros(read.usd, 'up');
}

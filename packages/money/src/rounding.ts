// Every division names its rounding, so that none rounds by accident.

export type Rounding = 'up' | 'down';

/** Quotient of two non-negative integers. `up` is towards the payer's side of a price, `down` towards zero. */
export function divide(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  if (dividend < 0n) throw new RangeError('dividend is negative');
  if (divisor <= 0n) throw new RangeError('divisor is not positive');
  return rounding === 'down' ? dividend / divisor : (dividend + divisor - 1n) / divisor;
}

// Checks the validity window of a signature. Both bounds are unix seconds as signed; clients set `validAfter` a day
// back, so it does not tell how long the signature lives.

export type Purpose = 'exact' | 'direct' | 'upto_confirm' | 'upto_settle';

/** Seconds that must be left at least, on any chain. */
const LEAST_SECONDS_LEFT = { exact: 10, direct: 10, upto_confirm: 60, upto_settle: 60 } as const satisfies Record<
  Purpose,
  number
>;
/** Longest time that a payment gathers by default: 16 transactions in flight, 200 ms for each. */
const GATHER_SECONDS = 4;
/**
 * Extra lifetime that a signature may have beyond the requested one: clocks differ, and payers take time to sign. A direct
 * payment keeps its intent from every other payment until it has expired, so it gets less. The window of an up-to
 * signature was checked when it was confirmed; it can only have become shorter.
 */
const GRACE_SECONDS = {
  exact: 3_600,
  direct: 120,
  upto_confirm: 3_600,
  upto_settle: Infinity,
} as const satisfies Record<Purpose, number>;

export type WindowRefusal = 'authorization_not_yet_valid' | 'authorization_expired' | 'authorization_window_too_long';

/**
 * Seconds that must be left so that the transaction is mined in time: it may miss the next block, and the block after
 * that must still be able to include it.
 */
export function requiredSecondsLeft(purpose: Purpose, blockSeconds: number): number {
  return Math.max(LEAST_SECONDS_LEFT[purpose], 2 * blockSeconds + GATHER_SECONDS);
}

export function checkWindow(
  authorization: { readonly validAfter: string; readonly validBefore: string },
  maxTimeoutSeconds: number,
  nowSeconds: number,
  purpose: Purpose,
  blockSeconds: number,
): WindowRefusal | undefined {
  const validAfterSeconds = Number(authorization.validAfter);
  const validBeforeSeconds = Number(authorization.validBefore);
  if (validBeforeSeconds < nowSeconds + requiredSecondsLeft(purpose, blockSeconds)) return 'authorization_expired';
  if (validAfterSeconds >= nowSeconds) return 'authorization_not_yet_valid';
  const tooLong = validBeforeSeconds > nowSeconds + maxTimeoutSeconds + GRACE_SECONDS[purpose];
  return tooLong ? 'authorization_window_too_long' : undefined;
}

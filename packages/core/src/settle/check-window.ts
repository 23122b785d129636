// When a signature is good. Both ends are unix seconds as signed; `validAfter` lies a day back by the client's rules and
// says nothing about how long the signature lives.

export type Purpose = 'exact' | 'upto_confirm' | 'upto_settle';

/** Seconds that must be left, so that the transaction can be mined in time. */
const REQUIRED_SECONDS_LEFT = { exact: 10, upto_confirm: 60, upto_settle: 60 } as const satisfies Record<
  Purpose,
  number
>;
/** How much longer than asked a signature may live: clocks differ, people hesitate. */
const GRACE_SECONDS = 3_600;

export type WindowRefusal = 'authorization_not_yet_valid' | 'authorization_expired' | 'authorization_window_too_long';

export function checkWindow(
  authorization: { readonly validAfter: string; readonly validBefore: string },
  maxTimeoutSeconds: number,
  nowSeconds: number,
  purpose: Purpose,
): WindowRefusal | undefined {
  const validAfterSeconds = Number(authorization.validAfter);
  const validBeforeSeconds = Number(authorization.validBefore);
  if (validBeforeSeconds < nowSeconds + REQUIRED_SECONDS_LEFT[purpose]) return 'authorization_expired';
  if (validAfterSeconds >= nowSeconds) return 'authorization_not_yet_valid';
  // An up-to signature was measured when it was confirmed; by now it can only have become shorter.
  const tooLong = purpose !== 'upto_settle' && validBeforeSeconds > nowSeconds + maxTimeoutSeconds + GRACE_SECONDS;
  return tooLong ? 'authorization_window_too_long' : undefined;
}

import type { Intent } from './intent.ts';
import { PAYABLE_INTENT } from './intent-transitions.ts';

/** From the moment of its expiry on an intent is not payable. A periodic job cancels it if nobody has paid it. */
export function hasExpired({ expiresAtMs }: Pick<Intent, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs <= nowMs;
}

/** No payment has it: it is unpaid, or paid in part. */
export function isOpenToPay({ status }: Pick<Intent, 'status'>): boolean {
  return PAYABLE_INTENT.some((payable) => payable === status);
}

/** True if a payment of the intent may begin. A payment that has begun is not stopped by the expiry. */
export function isPayable(intent: Pick<Intent, 'status' | 'expiresAtMs'>, nowMs: number): boolean {
  return isOpenToPay(intent) && !hasExpired(intent, nowMs);
}

import type { Intent } from './intent.ts';
import { INTENT_STATUS } from './intent-transitions.ts';

/** From the moment of its expiry on an intent is not payable. A periodic job cancels it if nobody has paid it. */
export function hasExpired({ expiresAtMs }: Pick<Intent, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs <= nowMs;
}

/** True if a payment of the intent may begin. A payment that has begun is not stopped by the expiry. */
export function isPayable(intent: Pick<Intent, 'status' | 'expiresAtMs'>, nowMs: number): boolean {
  return intent.status === INTENT_STATUS.requires_payment && !hasExpired(intent, nowMs);
}

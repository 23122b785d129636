import type { Scheme } from '@svc-pay/protocol';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';

/**
 * The end of an intent that X402 can't pay: failure is told, and the call ends by name. The interface lets a client fall back to
 * a regular flow here; none is credited today. An up-to request never comes to it: a fallback would take the whole cap.
 */
export function payRegularly(attempt: Attempt, scheme: Scheme, reason: string): never {
  const { paymentIntentId, attemptId } = attempt.known();
  if (scheme === 'upto') throw new SvcPayError('x402_upto_not_available', { reason });
  attempt.failed(new SvcPayError(reason, { paymentIntentId, attemptId }));
  throw new SvcPayError('regular_flow_unavailable', { reason });
}

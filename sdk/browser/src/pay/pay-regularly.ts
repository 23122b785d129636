import type { Scheme } from '@svc-pay/protocol';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';

/**
 * Where an intent that X402 can't pay goes on: failure is told, then the regular flow takes the same intent. That flow does
 * not exist yet, so it ends here, by name. An up-to request never comes to it: it would take the whole cap.
 */
export function payRegularly(attempt: Attempt, scheme: Scheme, reason: string): never {
  const { paymentIntentId, attemptId } = attempt.known();
  if (scheme === 'upto') throw new SvcPayError('x402_upto_not_available', { reason });
  attempt.failed(new SvcPayError(reason, { paymentIntentId, attemptId }));
  throw new SvcPayError('regular_flow_unavailable', { reason });
}

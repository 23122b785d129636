import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { waitForEnd } from '../wait/wait-for-end.ts';
import type { Standing } from './authorize.ts';
import { conclude, isEnd, type PaymentResult } from './conclude.ts';
import type { CallOptions, ClientDeps } from './parts.ts';

/** An intent that is paid, being paid or over, on this page or another: what the service says of it is the end. */
export async function awaitOther(
  deps: ClientDeps,
  attempt: Attempt,
  { situation, paymentIntentId }: Pick<Standing, 'situation' | 'paymentIntentId'>,
  options: CallOptions,
): Promise<PaymentResult> {
  if (isEnd(situation) || situation.status === 'mismatched') return conclude(attempt, situation, paymentIntentId);
  // Open by its status, and not to be signed: it has expired.
  if (situation.status !== 'processing') throw new SvcPayError('intent_not_payable');
  return waitForEnd(deps, attempt, { paymentIntentId, endsOnMismatch: () => false }, options);
}

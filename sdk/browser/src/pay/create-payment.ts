import type { IntentToPay, PaymentRequest } from '../check/payment-request.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { haltIfAborted } from '../http/race.ts';
import { waitForEnd } from '../wait/wait-for-end.ts';
import { authorize, type Standing } from './authorize.ts';
import { conclude, isEnd, type PaymentResult } from './conclude.ts';
import { findOut } from './find-out.ts';
import { type CallOptions, type ClientDeps, signalOf } from './parts.ts';
import { payRegularly } from './pay-regularly.ts';
import { runAttempt } from './run-attempt.ts';

export function createPayment(
  deps: ClientDeps,
  attempt: Attempt,
  request: PaymentRequest | IntentToPay,
  options: CallOptions,
): Promise<PaymentResult> {
  return runAttempt(attempt, async () => {
    const signal = signalOf(options);
    const submission = await authorize(deps, attempt, { request, scheme: 'exact', signal });
    if ('situation' in submission) return awaitOther(deps, attempt, submission, options);
    // Whoever heard of the signature may have changed their mind; nothing has been sent yet.
    haltIfAborted(signal);
    const untilMs = deps.ports.nowMs() + (options.timeoutMs ?? deps.paymentTimeoutMs);
    try {
      const situation = await findOut(deps, attempt, submission, { signal, untilMs });
      return conclude(attempt, situation, submission.paymentIntentId);
    } catch (problem) {
      if (!(problem instanceof SvcPayError) || problem.code !== 'x402_minimum_amount_not_met') throw problem;
      return payRegularly(attempt, 'exact', problem.code);
    }
  });
}

/** An intent that is paid, being paid or over, on this page or another: what the service says of it is the end. */
async function awaitOther(
  deps: ClientDeps,
  attempt: Attempt,
  { situation, paymentIntentId }: Standing,
  options: CallOptions,
): Promise<PaymentResult> {
  if (isEnd(situation)) return conclude(attempt, situation, paymentIntentId);
  // Open by its status, and not to be signed: it has expired.
  if (situation.status !== 'processing') throw new SvcPayError('intent_not_payable');
  return waitForEnd(deps, attempt, paymentIntentId, options);
}

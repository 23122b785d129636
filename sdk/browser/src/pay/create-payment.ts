import type { PaymentRequest } from '../check/payment-request.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { haltIfAborted } from '../http/race.ts';
import { authorize } from './authorize.ts';
import { conclude, type PaymentResult } from './conclude.ts';
import { findOut } from './find-out.ts';
import { type CallOptions, type ClientDeps, signalOf } from './parts.ts';
import { payRegularly } from './pay-regularly.ts';
import { runAttempt } from './run-attempt.ts';

export function createPayment(
  deps: ClientDeps,
  attempt: Attempt,
  request: PaymentRequest,
  options: CallOptions,
): Promise<PaymentResult> {
  return runAttempt(attempt, async () => {
    const signal = signalOf(options);
    const submission = await authorize(deps, attempt, { request, scheme: 'exact', signal });
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

import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { conclude, isEnd, type PaymentResult } from '../pay/conclude.ts';
import { type CallOptions, type ClientDeps, signalOf } from '../pay/parts.ts';
import { runAttempt } from '../pay/run-attempt.ts';
import { followPayment } from './follow.ts';

export type WaitRequest = {
  readonly paymentIntentId: string;
  /** Goes on with an attempt of this client: its events come under the same id. */
  readonly attemptId?: string;
};

export function waitForPayment(
  { ports, service, paymentTimeoutMs }: ClientDeps,
  attempt: Attempt,
  { paymentIntentId }: WaitRequest,
  options: CallOptions,
): Promise<PaymentResult> {
  return runAttempt(attempt, async () => {
    const signal = signalOf(options);
    attempt.updated({ paymentIntentId, moneyMoved: 'unknown' });
    const situation = await followPayment({
      ports,
      service,
      paymentIntentId,
      signal,
      untilMs: ports.nowMs() + (options.timeoutMs ?? paymentTimeoutMs),
      isEnough(heard) {
        if (!isEnd(heard)) attempt.updated(heard);
        return isEnd(heard);
      },
    }).catch((problem: unknown) => {
      haltUnknowing(signal);
      throw problem;
    });
    if (situation !== undefined) return conclude(attempt, situation, paymentIntentId);
    throw new SvcPayError('outcome_unknown', { moneyMoved: 'unknown', retryable: true });
  });
}

/** Who stops waiting does not know. */
function haltUnknowing(signal: AbortSignal): void {
  if (signal.aborted) throw new SvcPayError('aborted', { moneyMoved: 'unknown', cause: signal.reason });
}

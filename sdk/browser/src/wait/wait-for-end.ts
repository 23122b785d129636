import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { conclude, isEnd, type PaymentResult } from '../pay/conclude.ts';
import { type CallOptions, type ClientDeps, signalOf } from '../pay/parts.ts';
import { followPayment } from './follow.ts';

export type Awaited = {
  readonly paymentIntentId: string;
  /** The payer sent a transaction himself: until the service speaks of it, an intent that ended unpaid says nothing of it. */
  readonly wasSent?: boolean;
};

/** Follows an intent until it ends, whoever pays it. Throws on any end but `completed`. */
export async function waitForEnd(
  { ports, service, paymentTimeoutMs }: ClientDeps,
  attempt: Attempt,
  { paymentIntentId, wasSent = false }: Awaited,
  options: CallOptions,
): Promise<PaymentResult> {
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
  if (situation !== undefined) return conclude(attempt, situation, paymentIntentId, wasSent);
  throw new SvcPayError('outcome_unknown', { moneyMoved: 'unknown', retryable: true });
}

/** Who stops waiting does not know. */
function haltUnknowing(signal: AbortSignal): void {
  if (signal.aborted) throw new SvcPayError('aborted', { moneyMoved: 'unknown', cause: signal.reason });
}

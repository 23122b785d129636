import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { conclude, isEnd, type PaymentResult } from '../pay/conclude.ts';
import { type CallOptions, type ClientDeps, signalOf } from '../pay/parts.ts';
import type { Situation } from '../read/read-situation.ts';
import { followPayment } from './follow.ts';

export type Awaited = {
  readonly paymentIntentId: string;
  /** The payer sent a transaction himself: until the service speaks of it, an intent that ended unpaid says nothing of it. */
  readonly wasSent?: boolean;
  /** Of a `mismatched` situation, whether it is the end of what is waited for; otherwise the intent can still be paid. */
  readonly endsOnMismatch: (heard: Situation) => boolean;
};

/** Follows an intent until it ends, whoever pays it. Throws on any end but `completed`. */
export async function waitForEnd(
  { ports, service, paymentTimeoutMs }: ClientDeps,
  attempt: Attempt,
  { paymentIntentId, wasSent = false, endsOnMismatch }: Awaited,
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
      const isMismatched = heard.status === 'mismatched';
      if (isEnd(heard) || (isMismatched && endsOnMismatch(heard))) return true;
      // The payment that is told then is a stranger's.
      attempt.updated(isMismatched ? { status: heard.status } : heard);
      return false;
    },
  }).catch((problem: unknown) => {
    haltUnknowing(signal);
    throw problem;
  });
  if (situation !== undefined) return conclude(attempt, situation, paymentIntentId, wasSent);
  throw new SvcPayError('outcome_unknown', { moneyMoved: 'unknown', retryable: true });
}

/** Hashes of one chain may be written in either case. */
export const speaksOf =
  (transactionId: string) =>
  (heard: Situation): boolean =>
    heard.transactionId?.toLowerCase() === transactionId.toLowerCase();

/** Who stops waiting does not know. */
function haltUnknowing(signal: AbortSignal): void {
  if (signal.aborted) throw new SvcPayError('aborted', { moneyMoved: 'unknown', cause: signal.reason });
}

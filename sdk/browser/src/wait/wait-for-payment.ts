import type { Attempt } from '../events/attempt.ts';
import type { PaymentResult } from '../pay/conclude.ts';
import { type CallOptions, type ClientDeps, requireCredential, signalOf } from '../pay/parts.ts';
import { runAttempt } from '../pay/run-attempt.ts';
import { speaksOf, waitForEnd } from './wait-for-end.ts';

export type WaitRequest = {
  readonly paymentIntentId: string;
  /** Of the answer that created the intent, for a page without a key. */
  readonly clientSecret?: string;
  /** Goes on with an attempt of this client: its events come under the same id. */
  readonly attemptId?: string;
  /** Hash of a transaction that the payer sent himself: an intent that ends unpaid does not say that it moved nothing. */
  readonly sentTransactionId?: string;
  /**
   * False: money that arrives and does not pay the intent, which anybody may send, does not end the wait, because the whole can
   * still be paid. With `sentTransactionId` only that transaction ends it so, whatever is said here.
   */
  readonly endsOnMismatch?: boolean;
};

export function waitForPayment(
  deps: ClientDeps,
  attempt: Attempt,
  { paymentIntentId, sentTransactionId: transactionId, endsOnMismatch = true }: WaitRequest,
  options: CallOptions,
): Promise<PaymentResult> {
  return runAttempt(attempt, async () => {
    requireCredential(deps);
    if (transactionId === undefined)
      return waitForEnd(deps, attempt, { paymentIntentId, endsOnMismatch: () => endsOnMismatch }, options);
    attempt.updated({ paymentIntentId, transactionId, moneyMoved: 'unknown' });
    void deps.service.announce(paymentIntentId, transactionId, signalOf(options));
    const awaited = { paymentIntentId, wasSent: true, endsOnMismatch: speaksOf(transactionId) };
    return waitForEnd(deps, attempt, awaited, options);
  });
}

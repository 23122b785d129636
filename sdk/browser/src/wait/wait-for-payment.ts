import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import type { PaymentResult } from '../pay/conclude.ts';
import { type CallOptions, type ClientDeps, requireCredential, signalOf } from '../pay/parts.ts';
import { runAttempt } from '../pay/run-attempt.ts';
import { unlessReverted } from './unless-reverted.ts';
import { speaksOf, waitForEnd } from './wait-for-end.ts';

export type WaitRequest = {
  readonly paymentIntentId: string;
  /** Of the answer that created the intent, for a page without a key. */
  readonly clientSecret?: string;
  /** Goes on with an attempt of this client: its events come under the same id. */
  readonly attemptId?: string;
  /**
   * Hash of a transaction that the payer sent himself: an intent that ends unpaid does not say that it moved nothing. The client's
   * `wallet` is asked for its receipt, without a word to the payer; reverted, it ends with `transaction_reverted`.
   */
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
    const awaited = { paymentIntentId, wasSent: true, endsOnMismatch: speaksOf(transactionId) };
    const { ports, walletTimeoutMs, wallet } = deps;
    const nowSeconds = () => Math.floor(ports.nowMs() / 1_000);
    const reverted = async (signal: AbortSignal) =>
      (await wallet?.hasReverted?.(transactionId, { ports, walletTimeoutMs, nowSeconds, signal })) === true;
    return unlessReverted(signalOf(options), reverted, (signal) => {
      void deps.service.announce(paymentIntentId, transactionId, signal);
      return waitForEnd(deps, attempt, awaited, { ...options, signal });
    });
  }).catch((end: unknown) => {
    if (end instanceof SvcPayError && end.code === 'transaction_reverted') deps.sent.forget(paymentIntentId);
    throw end;
  });
}

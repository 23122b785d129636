// What a situation means for an attempt that waits for money. Only the service's own `completed` counts as paid.
import type { IntentStatus } from '@svc-pay/protocol';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import type { Situation } from '../read/read-situation.ts';

export type PaymentResult = {
  readonly status: 'completed';
  readonly paymentIntentId: string;
  readonly attemptId: string;
  /** Hash on chain; null when the service did not tell. */
  readonly transactionId: string | null;
  /** Digits in the token's smallest unit, with token, network and payer; null where this call did not see the signing. */
  readonly amount: string | null;
  readonly asset: string | null;
  readonly network: string | null;
  readonly payer: string | null;
};

const ENDS: ReadonlySet<IntentStatus> = new Set(['completed', 'failed', 'canceled']);

/** `mismatched` is none by itself: anybody may send a part of an intent, and the whole of it can be paid all the same. */
export const isEnd = ({ status }: Situation): boolean => ENDS.has(status);

/**
 * For a situation that is an end, or a `mismatched` one that is the end of what was waited for. Throws unless it is `completed`. `wasSent`: the payer sent a transaction himself, which may
 * arrive after the intent has ended.
 */
export function conclude(
  attempt: Attempt,
  situation: Situation,
  paymentIntentId: string,
  wasSent = false,
): PaymentResult {
  const known = { ...situation, paymentIntentId };
  const { attemptId } = attempt;
  if (situation.status === 'completed') {
    attempt.completed(known);
    const { transactionId, amount, asset, network, payer } = attempt.known();
    return { status: 'completed', paymentIntentId, attemptId, transactionId, amount, asset, network, payer };
  }
  if (situation.status === 'mismatched') {
    const error = new SvcPayError('payment_mismatched', { moneyMoved: 'yes', paymentIntentId, attemptId });
    attempt.mismatched(known, error);
    throw error;
  }
  attempt.updated(known);
  const moneyMoved = wasSent ? 'unknown' : 'no';
  throw new SvcPayError(situation.status === 'canceled' ? 'payment_canceled' : 'payment_failed', { moneyMoved });
}

import { isIntentToPay } from '../check/asked.ts';
import type { IntentToPay, PaymentRequest } from '../check/payment-request.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { haltIfAborted } from '../http/race.ts';
import { authorize } from './authorize.ts';
import { awaitOther } from './await-other.ts';
import { conclude, type PaymentResult } from './conclude.ts';
import { mayPayRegularly, type X402End } from './fallback-rule.ts';
import { findOut } from './find-out.ts';
import { type CallOptions, type ClientDeps, type PaymentCallOptions, signalOf } from './parts.ts';
import { type Fallback, payRegularly } from './pay-regularly.ts';
import { runAttempt } from './run-attempt.ts';

export function createPayment(
  deps: ClientDeps,
  attempt: Attempt,
  request: PaymentRequest | IntentToPay,
  options: PaymentCallOptions,
): Promise<PaymentResult> {
  return runAttempt(attempt, async () => {
    // A transaction that was sent earlier may arrive at any time, beside whatever is signed now.
    if (isIntentToPay(request) && deps.sent.find(request.paymentIntentId)?.isTransaction === true)
      throw besideAnother();
    const paid = await payBySignature(deps, attempt, request, options);
    if (!('problem' in paid)) return paid;
    const { ports, sent } = deps;
    const mayBeTaken = paid.paymentIntentId !== null && sent.find(paid.paymentIntentId) !== undefined;
    if (mayBeTaken || (options.earlierUntilMs ?? 0) > ports.nowMs()) throw besideAnother();
    return payRegularly(deps, attempt, paid, { request, options });
  });
}

/** What was sent earlier may still pay. */
const besideAnother = () =>
  new SvcPayError('outcome_unknown', { moneyMoved: 'unknown', retryable: true, reason: 'earlier_payment' });

const DEFAULT_WINDOW_SECONDS = 300;
/** Beyond the window of a signature, for clocks that differ and requests that were under way. */
const MARGIN_SECONDS = 60;

async function payBySignature(
  deps: ClientDeps,
  attempt: Attempt,
  request: PaymentRequest | IntentToPay,
  options: CallOptions,
): Promise<PaymentResult | Fallback> {
  const signal = signalOf(options);
  /** The fallback that the problem leads to; throws the problem where it leads to none. */
  const fallBack = (problem: unknown, endWith: (error: SvcPayError) => X402End): Fallback => {
    if (!(problem instanceof SvcPayError) || !mayPayRegularly('exact', endWith(problem))) throw problem;
    return { problem, paymentIntentId: attempt.known().paymentIntentId };
  };
  const submission = await authorize(deps, attempt, { request, scheme: 'exact', signal }).catch((problem: unknown) =>
    fallBack(problem, ({ code }) => ({ at: 'signature', code })),
  );
  if ('problem' in submission) return submission;
  if ('reason' in submission) return fallBack(new SvcPayError(submission.reason), () => ({ at: 'offer' }));
  if ('situation' in submission) return awaitOther(deps, attempt, submission, options);
  // Whoever heard of the signature may have changed their mind; nothing has been sent yet.
  haltIfAborted(signal);
  const untilMs = deps.ports.nowMs() + (options.timeoutMs ?? deps.paymentTimeoutMs);
  const { paymentIntentId, paymentRequirements } = submission;
  const takenForSeconds = (paymentRequirements.maxTimeoutSeconds ?? DEFAULT_WINDOW_SECONDS) + MARGIN_SECONDS;
  const earlier = deps.sent.find(paymentIntentId);
  const untilTakenMs = Math.max(deps.ports.nowMs() + takenForSeconds * 1_000, earlier?.untilMs ?? 0);
  deps.sent.save(paymentIntentId, { untilMs: untilTakenMs, isTransaction: false });
  let isInDoubt = false;
  const onDoubt = () => {
    isInDoubt = true;
  };
  try {
    const situation = await findOut(deps, attempt, submission, { signal, untilMs, onDoubt });
    return conclude(attempt, situation, paymentIntentId);
  } catch (problem) {
    const fallback = fallBack(problem, ({ code, moneyMoved }) => ({ at: 'header', code, moneyMoved, isInDoubt }));
    // The service refused this one for good, and an earlier one may be alive.
    if (earlier === undefined) deps.sent.forget(paymentIntentId);
    else deps.sent.save(paymentIntentId, earlier);
    return fallback;
  }
}

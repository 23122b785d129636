// An up-to payment as far as the payer goes: a cap is signed, and the service keeps the signature for the merchant. Confirm
// may be repeated like settle; while it was not heard, the merchant may hold the signature and charge it later.
import { isIntentToPay } from '../check/asked.ts';
import type { IntentToPay, UptoRequest } from '../check/payment-request.ts';
import { SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { pauseMs } from '../http/pause.ts';
import { haltIfAborted } from '../http/race.ts';
import { mayPass, refusalIn } from '../http/refusal.ts';
import type { Submission } from '../http/service.ts';
import { type ConfirmAnswer, readConfirmAnswer } from '../read/read-situation.ts';
import { authorize, type Standing } from './authorize.ts';
import { conclude, isEnd } from './conclude.ts';
import { type CallOptions, type ClientDeps, signalOf } from './parts.ts';
import { requestOffer } from './request-intent.ts';
import { runAttempt } from './run-attempt.ts';

export type UptoAuthorization = {
  readonly paymentIntentId: string;
  readonly attemptId: string;
  /**
   * The intent's status. The cap is promised and nothing was charged, except where it was confirmed on another page: that one
   * may be `processing` or `completed` by now.
   */
  readonly status: string;
  /** Digits in the token's smallest unit: at most this much can be charged, once. */
  readonly capAmount: string;
  /** Token, network and payer; null where this call did not see the signing. */
  readonly asset: string | null;
  readonly network: string | null;
  readonly payer: string | null;
  /** ISO 8601: until when the merchant may charge. */
  readonly expiresAt: string | null;
};

export function createUptoAuthorization(
  deps: ClientDeps,
  attempt: Attempt,
  request: UptoRequest | IntentToPay,
  options: CallOptions,
): Promise<UptoAuthorization> {
  return runAttempt(attempt, async () => {
    const signal = signalOf(options);
    const submission = await authorize(deps, attempt, { request, scheme: 'upto', signal });
    if ('situation' in submission) return confirmedElsewhere(attempt, submission);
    // No fallback: the regular flow would take the whole cap.
    if ('reason' in submission) throw new SvcPayError('x402_upto_not_available', { reason: submission.reason });
    haltIfAborted(signal);
    const untilMs = deps.ports.nowMs() + (options.timeoutMs ?? deps.paymentTimeoutMs);
    const { paymentIntentId, paymentRequirements } = submission;
    const answer = await confirm(deps, submission, { signal, untilMs }).catch(async (problem: unknown) => {
      if (!isIntentToPay(request) || !isOvertaken(problem)) throw problem;
      const { answer: now } = await requestOffer(deps, paymentIntentId, signal);
      if (now.kind !== 'stands') throw problem;
      return now;
    });
    if ('situation' in answer) return confirmedElsewhere(attempt, answer);
    const { status, expiresAt } = answer;
    const { maxAmountRequired: capAmount, asset, payTo, network } = paymentRequirements;
    attempt.updated({ status, authorizedCap: capAmount });
    const payer = attempt.known().payer ?? '';
    const { attemptId } = attempt;
    return { paymentIntentId, attemptId, status, capAmount, asset: asset ?? payTo, network, payer, expiresAt };
  });
}

/** The service has taken the signature of another page for this intent, and will not take this one. */
const isOvertaken = (problem: unknown): boolean =>
  problem instanceof SvcPayError &&
  (problem.code === 'upto_already_confirmed' || problem.code === 'intent_not_payable');

/** A cap of this intent that was confirmed on another page. Throws where there is none. */
function confirmedElsewhere(attempt: Attempt, { situation, paymentIntentId }: Standing): UptoAuthorization {
  const { status, authorizedCap: capAmount } = situation;
  const isPart = status === 'mismatched';
  if ((isEnd(situation) && status !== 'completed') || (isPart && capAmount === null))
    conclude(attempt, situation, paymentIntentId);
  const moneyMoved = status === 'requires_payment' || isPart ? 'no' : 'unknown';
  if (capAmount === null) throw new SvcPayError('intent_not_payable', { moneyMoved });
  attempt.updated({ ...situation, moneyMoved });
  const { attemptId } = attempt;
  const unseen = { asset: null, network: null, payer: null, expiresAt: null };
  return { paymentIntentId, attemptId, status, capAmount, ...unseen };
}

async function confirm(
  { ports, service }: ClientDeps,
  submission: Submission,
  { signal, untilMs }: { readonly signal: AbortSignal; readonly untilMs: number },
): Promise<Extract<ConfirmAnswer, { ok: true }>> {
  let mayBeKept = false;
  const moneyMoved = () => (mayBeKept ? 'unknown' : 'no');
  let last = new SvcPayError('outcome_unknown', { moneyMoved: 'unknown', retryable: true });
  for (let round = 0; ports.nowMs() < untilMs; round += 1) {
    const reply = await service.confirmUpto(submission, signal);
    const answer = reply?.status === 200 ? readConfirmAnswer(reply.body, submission.paymentIntentId) : undefined;
    if (answer?.ok === true) return answer;
    if (answer !== undefined) throw new SvcPayError(answer.error, { moneyMoved: moneyMoved() });
    const refusal = reply && refusalIn(reply);
    mayBeKept ||= refusal === undefined || refusal.moneyMoved !== 'no';
    if (signal.aborted) break;
    if (refusal !== undefined) {
      last = withAttempt(refusal, { moneyMoved: moneyMoved() });
      if (!refusal.retryable && !mayPass(reply?.status ?? 0)) throw last;
    }
    await ports.sleep(Math.min(pauseMs(ports, round, reply?.retryAfterMs), untilMs - ports.nowMs()), signal);
    if (signal.aborted) break;
  }
  if (signal.aborted) throw new SvcPayError('aborted', { moneyMoved: 'unknown', cause: signal.reason });
  throw mayBeKept ? new SvcPayError('outcome_unknown', { moneyMoved: 'unknown', retryable: true }) : last;
}

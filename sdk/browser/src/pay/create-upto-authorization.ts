// An up-to payment as far as the payer goes: a cap is signed, and the service keeps the signature for the merchant. Confirm
// may be repeated like settle; while it was not heard, the merchant may hold the signature and charge it later.
import type { UptoRequest } from '../check/payment-request.ts';
import { SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { pauseMs } from '../http/pause.ts';
import { haltIfAborted } from '../http/race.ts';
import { mayPass, refusalIn } from '../http/refusal.ts';
import type { Submission } from '../http/service.ts';
import { type ConfirmAnswer, readConfirmAnswer } from '../read/read-situation.ts';
import { authorize } from './authorize.ts';
import type { Waiting } from './find-out.ts';
import { type CallOptions, type ClientDeps, signalOf } from './parts.ts';
import { runAttempt } from './run-attempt.ts';

export type UptoAuthorization = {
  readonly paymentIntentId: string;
  readonly attemptId: string;
  /** The intent's status: the cap is promised and nothing was charged. */
  readonly status: string;
  /** Digits in the token's smallest unit: at most this much can be charged, once. */
  readonly capAmount: string;
  readonly asset: string;
  readonly network: string;
  readonly payer: string;
  /** ISO 8601: until when the merchant may charge. */
  readonly expiresAt: string | null;
};

export function createUptoAuthorization(
  deps: ClientDeps,
  attempt: Attempt,
  request: UptoRequest,
  options: CallOptions,
): Promise<UptoAuthorization> {
  return runAttempt(attempt, async () => {
    const signal = signalOf(options);
    const submission = await authorize(deps, attempt, { request, scheme: 'upto', signal });
    haltIfAborted(signal);
    const untilMs = deps.ports.nowMs() + (options.timeoutMs ?? deps.paymentTimeoutMs);
    const { status, expiresAt } = await confirm(deps, submission, { signal, untilMs });
    const { paymentIntentId, paymentRequirements } = submission;
    const { maxAmountRequired: capAmount, asset, payTo, network } = paymentRequirements;
    attempt.updated({ status, authorizedCap: capAmount });
    const payer = attempt.known().payer ?? '';
    const { attemptId } = attempt;
    return { paymentIntentId, attemptId, status, capAmount, asset: asset ?? payTo, network, payer, expiresAt };
  });
}

async function confirm(
  { ports, service }: ClientDeps,
  submission: Submission,
  { signal, untilMs }: Waiting,
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

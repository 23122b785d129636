// From a signed header to what became of it. The same header may be sent as often as it takes: the service takes it once
// and answers how its payment stands, so a lost answer is asked for again and is never paid again. No answer, a strange one
// or half of one is not an end; only the service's words are.
import { SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { pauseMs } from '../http/pause.ts';
import { haltIfAborted } from '../http/race.ts';
import { mayPass, refusalIn } from '../http/refusal.ts';
import type { Reply } from '../http/send-once.ts';
import type { Submission } from '../http/service.ts';
import { readSettleAnswer, readSituation, type SettleAnswer, type Situation } from '../read/read-situation.ts';
import { followPayment } from '../wait/follow.ts';
import { isEnd } from './conclude.ts';
import type { ClientDeps } from './parts.ts';

export type Waiting = {
  readonly signal: AbortSignal;
  readonly untilMs: number;
  /** Called once the header may be alive: an answer for it was missing or unclear, or spoke of it as under way. */
  readonly onDoubt: () => void;
};

/** A situation that is an end. Throws with an honest `moneyMoved` when it failed, was refused or was not heard in time. */
export async function findOut(
  { ports, service }: ClientDeps,
  attempt: Attempt,
  submission: Submission,
  { signal, untilMs, onDoubt }: Waiting,
): Promise<Situation> {
  const { paymentIntentId } = submission;
  /** A request that was not answered clearly may have been heard all the same. */
  let mayHaveBeenTaken = false;
  /** The service has spoken of the payment as under way. */
  let isUnderWay = false;
  let lastRefusal: SvcPayError | undefined;

  const followOn = (): Promise<Situation | undefined> =>
    followPayment({
      ports,
      service,
      paymentIntentId,
      signal,
      untilMs,
      isEnough(situation) {
        if (situation.status === 'processing') attempt.updated(situation);
        return situation.status !== 'processing';
      },
    });

  try {
    for (let round = 0; ports.nowMs() < untilMs; round += 1) {
      haltIfAborted(signal);
      const reply = await service.settle(submission, signal);
      const answer = reply?.status === 200 ? readSettleAnswer(reply.body, paymentIntentId) : undefined;
      let situation: Situation | undefined;
      if (answer !== undefined) situation = situationOf(answer, mayHaveBeenTaken && !isUnderWay);
      else {
        haltIfAborted(signal);
        lastRefusal = refusalOf(reply, mayHaveBeenTaken || isUnderWay);
        mayHaveBeenTaken ||= lastRefusal === undefined || lastRefusal.moneyMoved !== 'no';
        if (mayHaveBeenTaken) onDoubt();
        await ports.sleep(Math.min(pauseMs(ports, round, reply?.retryAfterMs), untilMs - ports.nowMs()), signal);
        haltIfAborted(signal);
        const asked = await service.notify(paymentIntentId, signal);
        situation = asked?.status === 200 ? readSituation(asked.body, paymentIntentId) : undefined;
      }
      if (situation?.status === 'processing') {
        isUnderWay = true;
        onDoubt();
        attempt.updated({ ...situation, moneyMoved: 'unknown' });
        situation = await followOn();
      }
      // Of `mismatched` only the answer for this header is an end: what else is heard may be of a part that a stranger sent.
      if (situation !== undefined && (isEnd(situation) || answer?.status === 'mismatched')) return situation;
      // Still to be paid, in whole or after a part: the header was not taken, or its payment has failed. Sending it again tells which.
      if (answer !== undefined) await ports.sleep(pauseMs(ports, round), signal);
    }
  } catch (problem) {
    if (problem instanceof SvcPayError && problem.code === 'aborted')
      throw withAttempt(problem, { moneyMoved: 'unknown' });
    throw problem;
  }
  haltIfAborted(signal);
  throw mayHaveBeenTaken || isUnderWay || lastRefusal === undefined
    ? new SvcPayError('outcome_unknown', { moneyMoved: 'unknown', retryable: true })
    : lastRefusal;
}

/** Throws for a failure: the service answers for this very header, so nothing of it moved unless an earlier one is open. */
function situationOf({ status, error, ...payment }: SettleAnswer, mayHaveBeenTaken: boolean): Situation {
  if (status === 'failed') {
    throw new SvcPayError(error ?? 'payment_failed', { moneyMoved: mayHaveBeenTaken ? 'unknown' : 'no' });
  }
  return { ...payment, status: status === 'succeeded' ? 'completed' : status };
}

/** Throws for a refusal that stays one; undefined when nothing clear was said. */
function refusalOf(reply: Reply | undefined, mayHaveBeenTaken: boolean): SvcPayError | undefined {
  const refusal = reply && refusalIn(reply);
  if (reply === undefined || refusal === undefined || refusal.retryable || mayPass(reply.status)) return refusal;
  throw mayHaveBeenTaken ? withAttempt(refusal, { moneyMoved: 'unknown' }) : refusal;
}

// Asking for an intent, or for one that exists. May be repeated: the attempt's id is the idempotency key, so all repeats are
// one intent.
import type { CreateIntentRequest } from '@svc-pay/protocol';
import { SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import { pauseMs } from '../http/pause.ts';
import { haltIfAborted } from '../http/race.ts';
import { mayPass, refusalIn } from '../http/refusal.ts';
import type { Reply } from '../http/send-once.ts';
import { nowSecondsBy } from '../http/service-clock.ts';
import { type IntentAnswer, type OfferAnswer, readIntentAnswer, readOfferAnswer } from '../read/read-intent.ts';
import type { ClientDeps } from './parts.ts';

const MAX_TRIES = 4;
/** Who is told to wait longer is told at once. */
const LONGEST_PAUSE_MS = 30_000;

type Requested<Answer> = { readonly answer: Answer; readonly nowSeconds: () => number };

export function requestIntent(
  deps: ClientDeps,
  request: CreateIntentRequest,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<Requested<IntentAnswer>> {
  const send = () => deps.service.createIntent(request, idempotencyKey, signal);
  return askRepeatedly(deps, send, readIntentAnswer, signal);
}

/** What may be signed for an intent that the merchant's server created. */
export function requestOffer(
  deps: ClientDeps,
  paymentIntentId: string,
  signal: AbortSignal,
): Promise<Requested<OfferAnswer>> {
  const send = () => deps.service.getOffer(paymentIntentId, signal);
  return askRepeatedly(deps, send, (status, body) => readOfferAnswer(status, body, paymentIntentId), signal);
}

/** Repeats what may pass, a few times. Throws SvcPayError: nothing has moved, whatever the answer thinks of money. */
export async function askRepeatedly<Answer>(
  { ports }: ClientDeps,
  send: () => Promise<Reply | undefined>,
  read: (status: number, body: unknown) => Answer | undefined,
  signal: AbortSignal,
): Promise<Requested<Answer>> {
  for (let round = 0; ; round += 1) {
    haltIfAborted(signal);
    const reply = await send();
    haltIfAborted(signal);
    const answer = reply && read(reply.status, reply.body);
    if (reply !== undefined && answer !== undefined) {
      return { answer, nowSeconds: nowSecondsBy(ports, reply, ports.nowMs()) };
    }
    const refusal = reply && refusalIn(reply);
    const pause = pauseMs(ports, round, reply?.retryAfterMs);
    const mayRepeat = reply === undefined || mayPass(reply.status) || refusal?.retryable === true;
    if (!mayRepeat || round + 1 >= MAX_TRIES || pause > LONGEST_PAUSE_MS) {
      // Nothing was signed yet, whatever the answer thinks of money.
      if (refusal !== undefined) throw withAttempt(refusal, { moneyMoved: 'no' });
      throw new SvcPayError(reply === undefined ? 'service_unreachable' : 'answer_unreadable', {
        retryable: mayRepeat,
      });
    }
    await ports.sleep(pause, signal);
  }
}

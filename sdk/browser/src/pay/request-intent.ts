// Asking for an intent. May be repeated: the attempt's id is the idempotency key, so all repeats are one intent.
import type { CreateIntentRequest } from '@svc-pay/protocol';
import { SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import { pauseMs } from '../http/pause.ts';
import { haltIfAborted } from '../http/race.ts';
import { mayPass, refusalIn } from '../http/refusal.ts';
import { nowSecondsBy } from '../http/service-clock.ts';
import { type IntentAnswer, readIntentAnswer } from '../read/read-intent.ts';
import type { ClientDeps } from './parts.ts';

const MAX_TRIES = 4;
/** Who is told to wait longer is told at once. */
const LONGEST_PAUSE_MS = 30_000;

export type RequestedIntent = { readonly answer: IntentAnswer; readonly nowSeconds: () => number };

export async function requestIntent(
  { ports, service }: ClientDeps,
  request: CreateIntentRequest,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<RequestedIntent> {
  for (let round = 0; ; round += 1) {
    haltIfAborted(signal);
    const reply = await service.createIntent(request, idempotencyKey, signal);
    haltIfAborted(signal);
    const answer = reply && readIntentAnswer(reply.status, reply.body);
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

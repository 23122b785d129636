// What a receiver does with one delivery, without a framework: verify, work, answer. 2xx is said only when the work is done,
// so the sender goes on trying until it is. Work that takes too long goes on, but its delivery is answered for a retry.
import type { ReceivedEvent } from '../event/received-event.ts';
import type { Deduplicator } from '../once/deduplicator.ts';
import type { DeliveryHeaders } from '../receive/delivery-headers.ts';
import type { Received, Receiver } from '../receive/receiver.ts';
import { type Framework, type Refusal, refuse } from '../receive/refusal.ts';

export type WebhookOptions = {
  readonly receiver: Receiver;
  /** The work, as `onEvent({ … })` makes it. If it throws, the sender is answered 500 and tries again later. */
  readonly handle: (received: ReceivedEvent) => unknown;
  /** Runs `handle` once per event id. Without it, `handle` meets every delivery, also those sent twice. */
  readonly deduplicator?: Deduplicator;
  /** Longer bodies are refused; 262,144 when left out. */
  readonly maxBodyBytes?: number;
  /** When to stop waiting for `handle`; 4,000 when left out. Keep it below the endpoint's timeout, which is 5 s. */
  readonly answerWithinMs?: number;
  /** Told what was refused and what to do about it. Log it: the sender is told only the code. */
  readonly onRefusal?: (refusal: Refusal) => void;
  /** Told what `handle` or the deduplicator's store threw. The sender is told nothing of it. */
  readonly onError?: (error: unknown) => void;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type AnswerDelivery = {
  readonly maxBodyBytes: number;
  readonly answer: (rawBody: unknown, headers: DeliveryHeaders) => Promise<Answer>;
  readonly refuseTooLarge: () => Answer;
};

const DEFAULT_MAX_BODY_BYTES = 262_144;
const DEFAULT_ANSWER_WITHIN_MS = 4_000;
const STATUS_OF = { done: 200, refused: 400, in_progress: 409, body_too_large: 413, failed: 500, still_working: 503 };

export function createAnswerDelivery(options: WebhookOptions, framework: Framework): AnswerDelivery {
  const { receiver, handle, deduplicator, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
  const answerWithinMs = options.answerWithinMs ?? DEFAULT_ANSWER_WITHIN_MS;

  const refused = ({ code }: Refusal): Answer => {
    // Told again with the framework's own way to the raw body.
    tell(options.onRefusal, refuse(code, framework));
    return answerWith(code === 'body_too_large' ? STATUS_OF.body_too_large : STATUS_OF.refused, { error: code });
  };
  const work = async (received: Received): Promise<Answer> => {
    try {
      if (deduplicator === undefined) await handle(received);
      else {
        const once = await deduplicator.once(received.event, () => handle(received));
        if (!once.ok) return answerWith(STATUS_OF.in_progress, { error: once.code });
      }
      return answerWith(STATUS_OF.done, { received: true });
    } catch (error) {
      tell(options.onError, error);
      return answerWith(STATUS_OF.failed, { error: 'handler_failed' });
    }
  };
  return {
    maxBodyBytes,
    refuseTooLarge: () => refused(refuse('body_too_large')),
    answer: async (rawBody, headers) => {
      if (sizeOf(rawBody) > maxBodyBytes) return refused(refuse('body_too_large'));
      const verdict = await receiver.verify(rawBody, headers);
      return verdict.ok ? withinTime(work(verdict), answerWithinMs) : refused(verdict);
    },
  };
}

async function withinTime(working: Promise<Answer>, answerWithinMs: number): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slow = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(answerWith(STATUS_OF.still_working, { error: 'still_working' })), answerWithinMs);
  });
  const answer = await Promise.race([working, slow]);
  clearTimeout(timer);
  return answer;
}

function tell<Told>(listener: ((told: Told) => void) | undefined, told: Told): void {
  try {
    listener?.(told);
  } catch {
    // A log that fails must not turn an answer into a crash.
  }
}

function sizeOf(rawBody: unknown): number {
  return rawBody instanceof Uint8Array || rawBody instanceof ArrayBuffer ? rawBody.byteLength : 0;
}

function answerWith(status: number, body: object): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

// A call with its retries. Every attempt sends the same bytes under the same key, so whatever an attempt without an answer
// did, the next one finds it done. What such an attempt may have done is not denied by a later refusal.
import { errorBody } from '@svc-pay/protocol';
import type { Now } from '../clock.ts';
import { aborted, type CallFailure, failureFromBody, noAnswer, unreadableAnswer } from './call-failure.ts';
import type { Wait } from './pause.ts';
import { type ApiAnswer, type Outgoing, type Silence, sendOnce } from './send-once.ts';

export type Patience = {
  readonly maxAttempts: number;
  readonly send: typeof fetch;
  readonly wait: Wait;
  readonly now: Now;
};

/** Undefined for what is no answer to this call. */
export type ReadAnswer<Value> = (value: unknown, httpStatus: number) => Value | undefined;

export type Called<Value> = {
  readonly result: { readonly ok: true; readonly value: Value; readonly requestId: string | null } | CallFailure;
  /** An attempt before the last may have done it already. */
  readonly mayBeRepeat: boolean;
};

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

export async function callService<Value>(
  outgoing: Outgoing,
  { maxAttempts, send, wait, now }: Patience,
  readAnswer: ReadAnswer<Value>,
): Promise<Called<Value>> {
  const { signal } = outgoing;
  let mayHaveCharged = false;
  let mayBeRepeat = false;
  const isAborted = () => signal?.aborted === true;
  const end = (failed: CallFailure): Called<Value> => ({
    result: mayHaveCharged && failed.moneyMoved === 'no' ? { ...failed, moneyMoved: 'unknown' } : failed,
    mayBeRepeat,
  });
  for (let attempt = 1; ; attempt += 1) {
    if (isAborted()) return end(aborted());
    const answer = await sendOnce(send, now, outgoing);
    const result = read(answer, readAnswer);
    if (result.ok) return { result, mayBeRepeat };
    mayHaveCharged ||= result.moneyMoved === 'unknown';
    if (isAborted() && result.retryable) return end(aborted());
    const askedMs = result.retryAfterMs ?? 0;
    if (!result.retryable || attempt >= maxAttempts || askedMs > LONGEST_PAUSE_MS) return end(result);
    mayBeRepeat ||= result.httpStatus === null || result.httpStatus >= 500;
    await wait(pauseAfter(attempt, askedMs), signal);
  }
}

function read<Value>(answer: ApiAnswer | Silence, readAnswer: ReadAnswer<Value>): Called<Value>['result'] {
  if (answer === 'no_answer') return noAnswer();
  const { httpStatus, value, requestId, retryAfterMs } = answer;
  const good = readAnswer(value, httpStatus);
  if (good !== undefined) return { ok: true, value: good, requestId };
  const refusal = errorBody.safeParse(value);
  const failed = refusal.success ? failureFromBody(refusal.data, httpStatus) : unreadableAnswer(httpStatus, requestId);
  return { ...failed, retryAfterMs: retryAfterMs ?? null };
}

/** Doubles. Up to half of it is left to chance, on top of what the service asks for, so that callers do not come together. */
function pauseAfter(attempt: number, askedMs: number): number {
  const ownMs = FIRST_PAUSE_MS * 2 ** (attempt - 1);
  return Math.max(askedMs, ownMs) + (ownMs * Math.random()) / 2;
}

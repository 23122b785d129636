// A call with its retries. Every attempt sends the same bytes, and the service answers a repeated settlement from its
// records, so repeating can't charge twice. What one silent attempt may have done is not denied by a later refusal.
import { errorBody } from '@svc-pay/protocol';
import { type Post, type Posted, postOnce } from './post-once.ts';
import { errorFromBody, noAnswer, type UptoError, unreadableAnswer } from './upto-error.ts';

export type Wait = (ms: number) => Promise<void>;

export type Patience = { readonly maxAttempts: number; readonly send: typeof fetch; readonly wait: Wait };

export type ReadAnswer<Value> = (value: unknown) => { readonly ok: true; readonly value: Value } | undefined;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

export async function callService<Value>(
  post: Post,
  { maxAttempts, send, wait }: Patience,
  readAnswer: ReadAnswer<Value>,
): Promise<{ readonly ok: true; readonly value: Value } | UptoError> {
  let mayHaveCharged = false;
  for (let attempt = 1; ; attempt += 1) {
    const posted = await postOnce(send, post);
    const outcome = read(posted, readAnswer);
    if (outcome.ok) return outcome;
    mayHaveCharged ||= outcome.moneyMoved === 'unknown';
    const pauseMs = pauseAfter(attempt, posted);
    if (!outcome.retryable || attempt >= maxAttempts || pauseMs > LONGEST_PAUSE_MS) {
      return mayHaveCharged && outcome.moneyMoved === 'no' ? { ...outcome, moneyMoved: 'unknown' } : outcome;
    }
    await wait(pauseMs);
  }
}

function read<Value>(posted: Posted, readAnswer: ReadAnswer<Value>) {
  if (posted === 'no_answer') return noAnswer();
  const { httpStatus, value } = posted;
  const answer = httpStatus === 200 ? readAnswer(value) : undefined;
  if (answer !== undefined) return answer;
  const refusal = errorBody.safeParse(value);
  return refusal.success ? errorFromBody(refusal.data, httpStatus) : unreadableAnswer(httpStatus);
}

/** Doubles, with up to half of it left to chance, so that many callers do not come back together. */
function pauseAfter(attempt: number, posted: Posted): number {
  const asked = posted === 'no_answer' ? 0 : (posted.retryAfterMs ?? 0);
  const own = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2);
  return Math.max(asked, own);
}

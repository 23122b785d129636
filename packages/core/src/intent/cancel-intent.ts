// Cancels an intent for its merchant before any payment of it has begun.
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { Origin } from '../event/event-draft.ts';
import type { Answer, IdempotencyClaim, RecallAnswer, Recorded } from '../idempotency/stored-answer.ts';
import { mayFollow } from '../transitions.ts';
import { type Intent, intentView } from './intent.ts';
import { INTENT_TRANSITIONS } from './intent-transitions.ts';

export type CancelIntentPorts = {
  /** The earlier answer to this idempotency key; undefined when the key is new. */
  readonly recallAnswer: RecallAnswer;
  /** An intent of the caller's account and mode, or undefined. */
  readonly loadIntent: (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<Intent | undefined>;
  /**
   * One commit: the intent from the status it was read in to `canceled`, the audit row, the idempotent answer, and the
   * event for endpoints that ask for it.
   * `changed_meanwhile` when the intent no longer has that status.
   */
  readonly recordCancellation: (
    caller: Caller,
    before: Intent,
    idempotency: { readonly claim: IdempotencyClaim; readonly answer: Answer } | null,
    action: CancelAction,
    origin: Origin,
  ) => Promise<Recorded | { readonly outcome: 'changed_meanwhile' }>;
};

/** Action name in the audit record. */
export type CancelAction = 'intent.canceled' | 'upto.released';

export type CanceledIntent =
  | { readonly ok: true; readonly answer: Answer; readonly replayed: boolean }
  | { readonly ok: false; readonly code: CancelRefusal };

type CancelRefusal = 'not_found' | 'intent_not_cancelable' | 'not_an_upto_intent' | 'idempotency_key_reused';

const MAX_TRIES = 5;

/** Canceling a canceled intent gives the same answer again. Releasing cancels an up-to intent, and only that. */
export async function cancelIntent(
  ports: CancelIntentPorts,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  claim: IdempotencyClaim | null,
  requestId: string,
  action: CancelAction = 'intent.canceled',
): Promise<CanceledIntent> {
  const origin = { requestId, idempotencyKey: claim?.key ?? null };
  const earlier = claim === null ? undefined : await ports.recallAnswer(caller, claim);
  if (earlier?.outcome === 'key_reused') return { ok: false, code: 'idempotency_key_reused' };
  if (earlier?.outcome === 'replayed') return { ok: true, answer: earlier.answer, replayed: true };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = await ports.loadIntent(caller, intentId);
    if (before === undefined) return { ok: false, code: 'not_found' };
    if (action === 'upto.released' && !before.upto) return { ok: false, code: 'not_an_upto_intent' };
    if (before.status === 'canceled') return { ok: true, answer: answerCanceled(before), replayed: false };
    if (!mayFollow(INTENT_TRANSITIONS, before.status, 'canceled')) return { ok: false, code: 'intent_not_cancelable' };
    const answer = answerCanceled({ ...before, status: 'canceled' });
    const kept = claim === null ? null : { claim, answer };
    const recorded = await ports.recordCancellation(caller, before, kept, action, origin);
    if (recorded.outcome === 'key_reused') return { ok: false, code: 'idempotency_key_reused' };
    if (recorded.outcome === 'replayed') return { ok: true, answer: recorded.answer, replayed: true };
    if (recorded.outcome === 'recorded') return { ok: true, answer, replayed: false };
  }
  return { ok: false, code: 'intent_not_cancelable' };
}

function answerCanceled(intent: Intent): Answer {
  const body = { paymentIntentId: intent.id, paymentIntent: intentView(intent, 'secret'), payment: null };
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(body) };
}

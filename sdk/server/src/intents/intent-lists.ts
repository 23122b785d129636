// Intents of the account by filter, and why attempts to pay one were refused.
import type { IntentStatus } from '@svc-pay/protocol';
import type { AttemptBody, ListedIntentBody, PaymentTimeline } from '@svc-pay/protocol/merchant';
import type { CallFailure } from '../call/call-failure.ts';
import type { CallOptions, Connection } from '../call/connection.ts';
import { type CursorPage, type CursorQuery, everyListed, listAt } from '../call/cursor-pages.ts';
import { segment } from '../call/path.ts';
import { withFields } from '../call/read-answer.ts';

/** Status or metadata, with any range of time. */
export type IntentListFilter = CursorQuery & {
  readonly status?: IntentStatus;
  /** Adds `payment`, the latest one, to each intent. */
  readonly expand?: 'payment';
};

/** Of all intents: any range of time. */
export type AttemptFilter = Omit<CursorQuery, 'metadata'>;

export type AttemptsFound = { readonly ok: true; readonly attempts: readonly AttemptBody[] };

export type TimelineFound = { readonly ok: true; readonly timeline: PaymentTimeline };

export type IntentLists = {
  /** One page, newest first. */
  readonly list: (
    filter?: IntentListFilter,
    options?: CallOptions,
  ) => Promise<CursorPage<ListedIntentBody> | CallFailure>;
  /** Every intent, newest first, asking for pages as the loop goes on. Throws a `SvcPayError` when one can't be had. */
  readonly each: (
    filter?: Omit<IntentListFilter, 'before'>,
    options?: CallOptions,
  ) => AsyncGenerator<ListedIntentBody, void, undefined>;
  /** Refused headers of an intent, newest first. A payer is named as the header claimed. */
  readonly attempts: (paymentIntentId: string, options?: CallOptions) => Promise<AttemptsFound | CallFailure>;
  /** Refused headers of all intents, newest first, one page. */
  readonly refusedAttempts: (
    filter?: AttemptFilter,
    options?: CallOptions,
  ) => Promise<CursorPage<AttemptBody> | CallFailure>;
  /** Everything that happened to an intent and its money, oldest first, with a code that says why it stands where it stands. */
  readonly timeline: (paymentIntentId: string, options?: CallOptions) => Promise<TimelineFound | CallFailure>;
};

const INTENTS = '/sdk/payment-intents';

export function intentListsOf(connection: Connection): IntentLists {
  const list = listAt<ListedIntentBody, IntentListFilter>(connection, INTENTS);
  const refused = listAt<AttemptBody, AttemptFilter>(connection, '/sdk/attempts');
  return {
    list: (filter = {}, options) => list(filter, options),
    each: (filter = {}, options) => everyListed(list, filter, options),
    attempts: async (id, options) => {
      const read = withFields<{ data: readonly AttemptBody[] }>({ data: 'list' });
      const path = `${INTENTS}/${segment(id)}/attempts`;
      const answer = await connection.call({ method: 'GET', path, read }, options);
      return answer.ok ? { ok: true, attempts: answer.value.data } : answer;
    },
    refusedAttempts: (filter = {}, options) => refused(filter, options),
    timeline: async (id, options) => {
      const read = withFields<PaymentTimeline>({ paymentIntent: 'object', why: 'text', entries: 'list' });
      const path = `${INTENTS}/${segment(id)}/timeline`;
      const answer = await connection.call({ method: 'GET', path, read }, options);
      return answer.ok ? { ok: true, timeline: answer.value } : answer;
    },
  };
}

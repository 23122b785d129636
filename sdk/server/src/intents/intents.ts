// Payment intents from the merchant's backend.
import {
  type FallbackRecommendation,
  fallbackRecommendation,
  type IntentStatusResponse,
  intentStatusResponse,
  type PaymentRequired,
  paymentRequired,
} from '@svc-pay/protocol';
import type { CallFailure } from '../call/call-failure.ts';
import type { ReadAnswer } from '../call/call-service.ts';
import type { CallOptions, Connection, MakeOptions } from '../call/connection.ts';
import { segment } from '../call/path.ts';
import { exactly } from '../call/read-answer.ts';
import { type CreateIntentCall, checkIntentCall } from './create-intent-call.ts';
import { type IntentLists, intentListsOf } from './intent-lists.ts';

/** An intent and its latest payment, as they are now. */
export type IntentSituation = IntentStatusResponse;

export type IntentCreated = {
  readonly ok: true;
  readonly paymentIntentId: string;
  /**
   * Hand it to your page with the id: it pays and follows this one intent, and does nothing else. Null from a service of a
   * version before it.
   */
  readonly clientSecret: string | null;
} & (
  | {
      readonly kind: 'payment_required';
      /** The body of the 402 without the client secret, to be handed to the payer as it is. */
      readonly paymentRequired: PaymentRequired;
    }
  | {
      readonly kind: 'fallback';
      /**
       * X402 can't be used for this intent, and `error` says why. `regular` has the ways in which the payer can pay it with
       * gas of his own; where that is empty, offer another token, network or amount. Never so for an up-to intent.
       */
      readonly fallback: FallbackRecommendation;
    }
);
export type IntentFound = { readonly ok: true; readonly situation: IntentSituation };

export type Intents = IntentLists & {
  /** One intent per call, however often the answer was lost on its way. */
  readonly create: (call: CreateIntentCall, options?: MakeOptions) => Promise<IntentCreated | CallFailure>;
  readonly get: (paymentIntentId: string, options?: CallOptions) => Promise<IntentFound | CallFailure>;
  /** Gives up an intent that nobody has begun to pay. Again, the answer is the same. */
  readonly cancel: (paymentIntentId: string, options?: CallOptions) => Promise<IntentFound | CallFailure>;
};

const readRequired = exactly(paymentRequired, 402);
const readFallback = exactly(fallbackRecommendation, 200);

const readCreated: ReadAnswer<IntentCreated> = (value, httpStatus) => {
  const required = readRequired(value, httpStatus);
  if (required !== undefined) {
    const { clientSecret = null, ...rest } = required;
    const { paymentIntentId } = rest;
    return { ok: true, kind: 'payment_required', paymentIntentId, clientSecret, paymentRequired: rest };
  }
  const recommended = readFallback(value, httpStatus);
  if (recommended === undefined) return undefined;
  const { clientSecret = null, ...fallback } = recommended;
  return { ok: true, kind: 'fallback', paymentIntentId: fallback.paymentIntentId, clientSecret, fallback };
};

export function intentsOf(connection: Connection): Intents {
  const { call } = connection;
  const found = async (method: 'GET' | 'POST', path: string, options: CallOptions | undefined) => {
    const answer = await call({ method, path, read: exactly(intentStatusResponse) }, options);
    return answer.ok ? ({ ok: true, situation: answer.value } as const) : answer;
  };
  return {
    ...intentListsOf(connection),
    create: async (asked, options) => {
      const refused = checkIntentCall(asked);
      if (refused !== undefined) return refused;
      const path = '/sdk/public/payments/intents/x402';
      const answer = await call({ method: 'POST', path, body: asked, makes: true, read: readCreated }, options);
      return answer.ok ? answer.value : answer;
    },
    get: (id, options) => found('GET', `/sdk/public/payments/intents/${segment(id)}`, options),
    cancel: (id, options) => found('POST', `/sdk/payments/intents/${segment(id)}/cancel`, options),
  };
}

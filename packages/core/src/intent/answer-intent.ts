// The answers to a new intent, as bytes that an idempotent repeat gets again.
import {
  type Acceptance,
  BODY_X402_VERSION,
  type FallbackRecommendation,
  type PaymentRequired,
} from '@svc-pay/protocol';
import { ERRORS } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Answer } from '../idempotency/stored-answer.ts';
import type { Unavailable } from './offer.ts';

export function paymentRequiredOf(
  intentId: Id<'paymentIntent'>,
  accepts: readonly Acceptance[],
  error: Unavailable | '' = '',
): PaymentRequired {
  return {
    x402Version: BODY_X402_VERSION,
    paymentIntentId: intentId,
    rpcChainId: accepts.find((acceptance) => acceptance.extra?.rpcChainId)?.extra?.rpcChainId ?? '',
    accepts: [...accepts],
    error,
  };
}

export function answerPaymentRequired(required: PaymentRequired, deprecated: boolean): Answer {
  return answer(402, required, deprecated);
}

/**
 * Without `regular`, which is not stored with the answer: whoever repeats the request is shown what may be paid then.
 * `fallback`: why X402 can't be used; undefined where it was not asked for.
 */
export function answerRegular(
  intentId: Id<'paymentIntent'>,
  fallback: Unavailable | undefined,
  deprecated: boolean,
): Answer {
  if (fallback === undefined) return answer(201, { paymentIntentId: intentId }, deprecated);
  const body: Omit<FallbackRecommendation, 'regular'> = {
    status: 'failed',
    fallbackSuggested: true,
    error: fallback,
    message: ERRORS[fallback].message,
    paymentIntentId: intentId,
    accepts: [],
  };
  return answer(200, body, deprecated);
}

/** Date on which selecting a token by symbol, ledger or chain became deprecated, in RFC 9745 format. */
const SELECTORS_DEPRECATED = '@1763164800';

function answer(status: number, body: object, deprecated: boolean): Answer {
  return {
    status,
    headers: { 'cache-control': 'no-store', ...(deprecated && { deprecation: SELECTORS_DEPRECATED }) },
    body: JSON.stringify(body),
  };
}

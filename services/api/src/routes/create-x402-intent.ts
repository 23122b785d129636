import { createIntent } from '@svc-pay/core';
import { createIntentRequest, fallbackRecommendation, paymentRequired } from '@svc-pay/protocol';
import type { KeyedRoute } from './route.ts';

export const createX402Intent: KeyedRoute = {
  operationId: 'createX402Intent',
  method: 'POST',
  path: '/sdk/public/payments/intents/x402',
  access: 'publishable',
  scope: 'create',
  quota: 'creates',
  creates: true,
  summary: 'Create an X402 intent',
  description:
    'Answers 402 with what the payer may sign, or 200 with a fallback recommendation where X402 can’t be used: `error` says ' +
    'why. No other way of paying this intent is credited today, so offer another token, network or amount. ' +
    'Dollars are read digit by digit, as a JSON number or as text.',
  body: { name: 'CreateIntentRequest', schema: createIntentRequest },
  responses: {
    402: {
      description: 'The normal answer: one acceptance per token and chain',
      schema: { name: 'PaymentRequired', schema: paymentRequired },
    },
    200: {
      description: 'X402 cannot be used for this intent; `error` says why',
      schema: { name: 'FallbackRecommendation', schema: fallbackRecommendation },
    },
  },
  refusals: [
    'invalid_amount',
    'amount_missing',
    'amount_needs_token',
    'amounts_disagree',
    'amount_too_large',
    'max_timeout_out_of_range',
    'metadata_too_large',
    'token_not_enabled',
    'token_unknown',
    'x402_upto_not_available',
    'price_unavailable',
  ],
  async handle({ ports, metrics, traces }, { caller, traced, requestId, body, claim }) {
    const request = createIntentRequest.safeParse(body);
    if (!request.success) {
      const [field] = request.error.issues[0]?.path ?? [];
      return { ok: false, code: 'malformed_request', param: typeof field === 'string' ? field : null };
    }
    const created = await createIntent(ports, { caller, requestId, request: request.data, claim });
    if (created.ok && !created.replayed) {
      metrics.intentCreated(caller.mode, created.answer.status === 402 ? 'payment_required' : 'fallback');
      traces.created(traced);
    }
    return created;
  },
};

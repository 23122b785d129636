import { type Caller, createIntent, isPayable } from '@svc-pay/core';
import { createIntentRequest, fallbackRecommendation, type PaymentRequired, paymentRequired } from '@svc-pay/protocol';

import { ERRORS } from '@svc-pay/protocol/errors';
import { type Id, isId } from '@svc-pay/protocol/ids';
import { paidResponse } from '@svc-pay/protocol/x402';
import { challengeHeaders } from '../buyer/challenge.ts';
import type { ApiPorts } from '../ports.ts';
import { secretFor, withFields } from './fresh-fields.ts';
import { payX402Intent } from './pay-x402-intent.ts';
import { malformed, strayField } from './read-body.ts';
import { loadRegularOffer } from './regular-offer.ts';
import type { KeyedRoute } from './route.ts';

export const createX402Intent: KeyedRoute = {
  operationId: 'createX402Intent',
  method: 'POST',
  path: '/sdk/public/payments/intents/x402',
  access: 'publishable',
  scope: 'create',
  quota: 'creates',
  creates: true,
  whenPaid: payX402Intent,
  summary: 'Create an X402 intent',
  description:
    'Answers 402 with what the payer may sign, or 200 with a fallback recommendation where X402 can’t be used: `error` says ' +
    'why, and `regular` has the ways in which the payer can pay the same intent with gas of his own. Where that is empty, ' +
    'offer another token, network or amount. ' +
    'Dollars are read digit by digit, as a JSON number or as text. ' +
    'A secret key also gets `clientSecret`, with which a page pays this one intent and follows it: hand it to your page with the ' +
    'id. Where published x402 clients can pay it, the 402 also has `PAYMENT-REQUIRED` (version 2), and `X-SVC-Pay-Url`, an ' +
    'address that pays this one intent without a key. The same request with `PAYMENT-SIGNATURE` creates nothing: it settles ' +
    'the intent that the payment names, and answers `PaidResponse` with `PAYMENT-RESPONSE`: 200, 202 while the payment is ' +
    'under way, 402 if it was refused and the same intent may be paid again, 409 if that can’t be paid any more.',
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
    202: {
      description: 'With `PAYMENT-SIGNATURE`: the payment is under way; ask at `statusUrl`',
      schema: { name: 'PaidResponse', schema: paidResponse },
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
  async handle({ ports, metrics, traces }, { caller, traced, requestId, body, claim, baseUrl }) {
    const request = createIntentRequest.safeParse(body);
    if (!request.success) return malformed(request.error, body, createIntentRequest);
    const created = await createIntent(ports, { caller, requestId, request: request.data, claim });
    if (!created.ok && created.code === 'amount_missing')
      return { ...created, message: `${ERRORS.amount_missing.message}${strayField(createIntentRequest, body)}` };
    if (created.ok && !created.replayed) {
      metrics.intentCreated(caller.mode, created.answer.status === 402 ? 'payment_required' : 'fallback');
      traces.created(traced);
    }
    if (!created.ok) return created;
    const required = created.required ?? (JSON.parse(created.answer.body) as PaymentRequired);
    const intentId = required.paymentIntentId as Id<'paymentIntent'>;
    const secret = secretFor(ports, caller, intentId);
    if (created.answer.status !== 402) {
      const offer = await loadRegularOffer(ports, caller, intentId, baseUrl());
      return { ...created, answer: withFields(created.answer, { regular: offer?.regular ?? [], ...secret }) };
    }
    const answer = withFields(created.answer, secret);
    // A stock client that sees a challenge signs once more: a repeated request gets none while its intent is being paid.
    if (created.replayed && !(await isStillPayable(ports, caller, required.paymentIntentId)))
      return { ...created, answer };
    const stock = challengeHeaders(required, baseUrl(), ports.peppers[0], caller);
    return { ...created, answer: { ...answer, headers: { ...answer.headers, ...stock } } };
  },
};

async function isStillPayable(ports: ApiPorts, caller: Caller, intentId: string): Promise<boolean> {
  const situation = isId('paymentIntent', intentId) ? await ports.loadStatus(caller, intentId) : undefined;
  return situation !== undefined && isPayable(situation.intent, ports.clock.nowMs());
}

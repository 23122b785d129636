import { createIntent } from '@svc-pay/core';
import { createIntentRequest, regularOffer } from '@svc-pay/protocol';
import { ERRORS } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import { secretFor } from './fresh-fields.ts';
import { malformed, strayField } from './read-body.ts';
import { loadRegularOffer } from './regular-offer.ts';
import type { KeyedRoute } from './route.ts';

export const createRegularIntent: KeyedRoute = {
  operationId: 'createRegularIntent',
  method: 'POST',
  path: '/sdk/public/payments/intents',
  access: 'publishable',
  scope: 'create',
  quota: 'creates',
  creates: true,
  summary: 'Create an intent that is paid with the payer’s own gas',
  description:
    'Takes the body of the X402 create. Nothing of this intent is paid by a signed header: the payer sends the transactions in ' +
    '`regular` himself, and the chain reader finds them. The minimum amount of X402 does not bind it. To offer both, create an ' +
    'X402 intent and ask for its regular options.',
  body: { name: 'CreateIntentRequest', schema: createIntentRequest },
  responses: {
    201: {
      description: 'The new intent and its options',
      schema: { name: 'RegularOffer', schema: regularOffer },
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
    'regular_flow_unavailable',
    'x402_upto_not_available',
    'price_unavailable',
  ],
  async handle({ ports, metrics, traces }, { caller, traced, requestId, body, claim, baseUrl }) {
    const request = createIntentRequest.safeParse(body);
    if (!request.success) return malformed(request.error, body, createIntentRequest);
    const created = await createIntent(ports, { caller, requestId, request: request.data, claim, flow: 'regular' });
    if (!created.ok && created.code === 'amount_missing')
      return { ...created, message: `${ERRORS.amount_missing.message}${strayField(createIntentRequest, body)}` };
    if (!created.ok) return created;
    if (!created.replayed) {
      metrics.intentCreated(caller.mode, 'regular');
      traces.created(traced);
    }
    const { paymentIntentId } = JSON.parse(created.answer.body) as { paymentIntentId: Id<'paymentIntent'> };
    const offer = await loadRegularOffer(ports, caller, paymentIntentId, baseUrl());
    if (offer === undefined) throw new Error(`intent ${paymentIntentId} was created and can't be read`);
    const answered = { ...offer, ...secretFor(ports, caller, paymentIntentId) };
    return { ...created, answer: { ...created.answer, body: JSON.stringify(answered) } };
  },
};

import { cancelIntent } from '@svc-pay/core';
import { intentStatusResponse, uptoReleaseRequest } from '@svc-pay/protocol';
import { isId } from '@svc-pay/protocol/ids';
import { readBody } from './read-body.ts';
import type { KeyedRoute } from './route.ts';

export const releaseUpto: KeyedRoute = {
  operationId: 'releaseUpto',
  method: 'POST',
  path: '/sdk/payments/x402/upto/release',
  access: 'secret',
  scope: 'charge',
  quota: 'settles',
  summary: 'Release an up-to authorization',
  description:
    'Gives up an authorization that was not settled: the intent is canceled, and nothing will be charged. Releasing it ' +
    'again answers the same.',
  body: { name: 'UptoReleaseRequest', schema: uptoReleaseRequest },
  responses: {
    200: {
      description: 'The intent, canceled',
      schema: { name: 'IntentStatusResponse', schema: intentStatusResponse },
    },
  },
  refusals: ['not_found', 'not_an_upto_intent', 'intent_not_cancelable'],
  async handle({ ports }, { caller, body, claim, requestId }) {
    const request = readBody(uptoReleaseRequest, body);
    if (!request.ok) return request;
    const { paymentIntentId: intentId } = request.data;
    if (!isId('paymentIntent', intentId)) return { ok: false, code: 'not_found', param: null };
    const released = await cancelIntent(ports, caller, intentId, claim, requestId, 'upto.released');
    return released.ok ? released : { ...released, param: null };
  },
};

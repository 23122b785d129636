import { cancelIntent as cancel } from '@svc-pay/core';
import { intentStatusResponse } from '@svc-pay/protocol';
import { intentIdOf } from './intent-id.ts';
import type { KeyedRoute } from './route.ts';

export const cancelIntent: KeyedRoute = {
  operationId: 'cancelIntent',
  method: 'POST',
  path: '/sdk/payments/intents/{intentId}/cancel',
  access: 'secret',
  scope: 'create',
  summary: 'Cancel an intent',
  description: 'Gives up an intent that nobody has begun to pay. Canceling it again answers the same. Takes no body.',
  responses: {
    200: {
      description: 'The intent, canceled',
      schema: { name: 'IntentStatusResponse', schema: intentStatusResponse },
    },
  },
  refusals: ['not_found', 'intent_not_cancelable'],
  async handle({ ports }, { caller, params, claim, requestId }) {
    const intentId = intentIdOf(params);
    if (intentId === undefined) return { ok: false, code: 'not_found', param: null };
    const canceled = await cancel(ports, caller, intentId, claim, requestId);
    return canceled.ok ? canceled : { ...canceled, param: null };
  },
};

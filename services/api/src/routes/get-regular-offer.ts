import { regularOffer } from '@svc-pay/protocol';
import { answerJson } from './answer-json.ts';
import { intentIdOf } from './intent-id.ts';
import { loadRegularOffer } from './regular-offer.ts';
import type { KeyedRoute } from './route.ts';

export const getRegularOffer: KeyedRoute = {
  operationId: 'getRegularOffer',
  method: 'GET',
  path: '/sdk/public/payments/intents/{intentId}/regular',
  access: 'publishable',
  scope: 'read',
  takesClientSecret: true,
  summary: 'Get how an intent can be paid with the payer’s own gas',
  description:
    'For a wallet that can’t sign what X402 asks for, and for a payment that X402 refused before anything was signed. `regular` ' +
    'has one option per token and chain while the intent may be paid, and is empty once it is paid, being paid, canceled or ' +
    'expired. Carry out one option only. Nothing is submitted here: the chain reader finds the payment once its block is ' +
    'final, and `notify` with the hash makes it look sooner. Do not pay this way while a header that was signed for the intent ' +
    'may still be settled.',
  responses: {
    200: {
      description: 'The intent and its options',
      schema: { name: 'RegularOffer', schema: regularOffer },
    },
  },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params, baseUrl }) {
    const intentId = intentIdOf(params);
    const offer = intentId && (await loadRegularOffer(ports, caller, intentId, baseUrl()));
    return offer === undefined ? { ok: false, code: 'not_found', param: null } : answerJson(offer);
  },
};

import { confirmUpto as confirm } from '@svc-pay/core';
import { settleRequest, uptoConfirmResponse } from '@svc-pay/protocol';
import { answerJson } from './answer-json.ts';
import type { KeyedRoute } from './route.ts';
import { readSubmittedHeader } from './submitted-header.ts';

export const confirmUpto: KeyedRoute = {
  operationId: 'confirmUpto',
  method: 'POST',
  path: '/sdk/public/payments/intents/x402/upto/confirm',
  access: 'publishable',
  scope: 'charge',
  quota: 'settles',
  sparesClaimed: true,
  takesClientSecret: true,
  summary: 'Confirm an up-to authorization',
  description:
    'Verifies the signed cap as settle would, takes it for the intent and keeps it. No money moves. The same header again ' +
    'answers `alreadyConfirmed`; another one is refused while the first can be settled. A header that is refused is 200 ' +
    'with `ok: false` and a code in `error`, and changes nothing. An idempotency key stands for its request, but no answer ' +
    'is kept under it.',
  body: { name: 'SettleRequest', schema: settleRequest },
  responses: {
    200: {
      description: 'The intent, and whether it is confirmed',
      schema: { name: 'UptoConfirmResponse', schema: uptoConfirmResponse },
    },
  },
  refusals: ['not_found', 'not_an_upto_intent', 'upto_already_confirmed', 'chain_unavailable'],
  async handle({ ports, traces }, { caller, traced, body, claim, limited, requestId }) {
    const submitted = readSubmittedHeader(body);
    if (submitted === undefined) return { ok: false, code: 'malformed_request', param: 'paymentIntentId' };
    const { intentId, encodedHeader, echo } = submitted;
    if (intentId === null) return { ok: false, code: limited ? 'rate_limited' : 'not_found', param: null };
    const confirmed = await confirm(ports, { caller, intentId, encodedHeader, echo, claim, limited, requestId });
    if (!confirmed.ok) {
      return { ...confirmed, param: confirmed.code === 'idempotency_key_reused' ? 'Idempotency-Key' : null };
    }
    const { response } = confirmed;
    if (response.ok && !response.alreadyConfirmed) traces.paid(traced);
    return { ...answerJson(response), replayed: response.alreadyConfirmed && claim !== null };
  },
};

import { PAYMENT_STATUS, settlePayment as settle } from '@svc-pay/core';
import { settleRequest, settleResponse } from '@svc-pay/protocol';
import { answerJson } from './answer-json.ts';
import type { KeyedRoute } from './route.ts';
import { readSubmittedHeader } from './submitted-header.ts';

export const settlePayment: KeyedRoute = {
  operationId: 'settlePayment',
  method: 'POST',
  path: '/sdk/public/payments/x402/settle',
  access: 'publishable',
  scope: 'charge',
  quota: 'settles',
  sparesClaimed: true,
  takesClientSecret: true,
  summary: 'Settle an exact payment',
  description:
    'Verifies the signed header, takes it for the intent, and waits a bounded time for the result. Every business result ' +
    'is 200 with a `status`; a header that is refused is `failed` with a code in `error`, and changes nothing. The same ' +
    'header again answers how its payment stands now, is never verified twice and never taken twice. A payment to the ' +
    'merchant’s own wallet that the chain refused stays `processing`, with the code in `error`. An idempotency key ' +
    'stands for its request, but no answer is kept under it.',
  body: { name: 'SettleRequest', schema: settleRequest },
  responses: {
    200: {
      description: 'How the payment of this header stands',
      schema: { name: 'SettleResponse', schema: settleResponse },
    },
  },
  refusals: ['not_found', 'chain_unavailable'],
  async handle({ ports, metrics, traces }, { caller, traced, body, claim, limited }) {
    const submitted = readSubmittedHeader(body);
    if (submitted === undefined) return { ok: false, code: 'malformed_request', param: 'paymentIntentId' };
    const { intentId, encodedHeader, echo } = submitted;
    if (intentId === null) return { ok: false, code: limited ? 'rate_limited' : 'not_found', param: null };
    const encoded = { encodedHeader, echo };
    const settled = await settle(ports, { caller, intentId, encoded, claim, limited });
    if (!settled.ok) return { ...settled, param: settled.code === 'idempotency_key_reused' ? 'Idempotency-Key' : null };
    metrics.settleAnswered(caller.mode, settled.response.status);
    if (settled.claimed && settled.response.status !== PAYMENT_STATUS.failed) traces.paid(traced);
    return { ...answerJson(settled.response), replayed: settled.replayed && claim !== null };
  },
};

import { PAYMENT_STATUS, settlePayment } from '@svc-pay/core';
import { type RelayResponse, relayRequest, relayResponse } from '@svc-pay/protocol';
import { isId } from '@svc-pay/protocol/ids';
import { answerJson } from './answer-json.ts';
import { readBody } from './read-body.ts';
import type { KeyedRoute } from './route.ts';

export const relayPayment: KeyedRoute = {
  operationId: 'relayPayment',
  method: 'POST',
  path: '/sdk/public/payments/x402/relay',
  access: 'publishable',
  scope: 'charge',
  quota: 'settles',
  sparesClaimed: true,
  takesClientSecret: true,
  summary: 'Relay a signed Solana transaction',
  description:
    'Takes the transaction that the payer’s wallet signed, adds the relayer’s signature, sends it, and waits a bounded time ' +
    'for the result. Answers as settle does, and `signature` is what the chain knows it by. The same transaction again ' +
    'answers how its payment stands now; it is never taken twice.',
  body: { name: 'RelayRequest', schema: relayRequest },
  responses: {
    200: {
      description: 'How the payment of this transaction stands',
      schema: { name: 'RelayResponse', schema: relayResponse },
    },
  },
  refusals: ['not_found', 'chain_unavailable'],
  async handle({ ports, metrics, traces }, { caller, traced, body, claim, limited }) {
    const request = readBody(relayRequest, body);
    if (!request.ok) return request;
    const { paymentIntentId: intentId, signedTransactionBase64: transaction } = request.data;
    if (!isId('paymentIntent', intentId))
      return { ok: false, code: limited ? 'rate_limited' : 'not_found', param: null };
    const settled = await settlePayment(ports, { caller, intentId, encoded: { transaction }, claim, limited });
    if (!settled.ok) return { ...settled, param: settled.code === 'idempotency_key_reused' ? 'Idempotency-Key' : null };
    const { response } = settled;
    metrics.settleAnswered(caller.mode, response.status);
    if (settled.claimed && response.status !== PAYMENT_STATUS.failed) traces.paid(traced);
    const answer: RelayResponse = { ...response, signature: response.transactionId };
    return { ...answerJson(answer), replayed: settled.replayed && claim !== null };
  },
};

// The create request again, with the payment of the intent that its first answer named: it settles and creates nothing.
import { PAYMENT_STATUS, settlePayment } from '@svc-pay/core';
import { createIntentRequest } from '@svc-pay/protocol';
import { x402Refusal } from '@svc-pay/protocol/x402';
import { answerPayment, refuseUnreadable } from '../buyer/answer-payment.ts';
import { loadChallenge, statusPath } from '../buyer/challenge.ts';
import { intentNamedBy, readSubmittedX402 } from '../buyer/payment-headers.ts';
import type { KeyedRoute } from './route.ts';

export const payX402Intent: KeyedRoute = {
  operationId: 'payX402Intent',
  method: 'POST',
  path: '/sdk/public/payments/intents/x402',
  access: 'publishable',
  scope: 'charge',
  quota: 'settles',
  sparesClaimed: true,
  summary: 'Pay an X402 intent',
  description: 'The create request with `PAYMENT-SIGNATURE`.',
  body: { name: 'CreateIntentRequest', schema: createIntentRequest },
  responses: {},
  refusals: ['not_found', 'chain_unavailable'],
  async handle(world, { caller, traced, limited, payments, baseUrl }) {
    const { ports, metrics, traces } = world;
    const submitted = readSubmittedX402(payments);
    if (!submitted.ok) return refuseUnreadable(submitted);
    const { version, payment, encoded: encodedHeader } = submitted;
    if (version === 1) return refuseUnreadable({ ...x402Refusal('not_supported', '', V1_ELSEWHERE), version });
    const intentId = intentNamedBy(payment);
    if (intentId === null)
      return refuseUnreadable({ ...x402Refusal('wrong_shape', 'accepted.extra.intentId', NO_INTENT), version });
    const encoded = { encodedHeader, echo: null };
    // The key of the request stands for the 402 that it got; a payment is its own key.
    const settled = await settlePayment(ports, { caller, intentId, encoded, claim: null, limited });
    if (!settled.ok) return { ...settled, param: settled.code === 'not_found' ? 'accepted.extra.intentId' : null };
    metrics.settleAnswered(caller.mode, settled.response.status);
    if (settled.claimed && settled.response.status !== PAYMENT_STATUS.failed) traces.paid(traced);
    return answerPayment(world, {
      intentId,
      submitted,
      reply: settled,
      statusUrl: `${baseUrl()}${statusPath(intentId)}`,
      challenge: async (reason) => {
        const situation = await ports.loadStatus(caller, intentId);
        return situation && loadChallenge(ports, caller, situation.intent, baseUrl(), reason);
      },
      body402: (paid) => paid,
    });
  },
};

const V1_ELSEWHERE = 'is of version 1, which names no intent; send it to the address in X-SVC-Pay-Url';
const NO_INTENT = 'must be the id that PAYMENT-REQUIRED has there';

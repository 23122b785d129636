import { isoTime, preparePayment as prepare } from '@svc-pay/core';
import { type PrepareResponse, prepareRequest, prepareResponse } from '@svc-pay/protocol';
import { ERRORS } from '@svc-pay/protocol/errors';
import { isId } from '@svc-pay/protocol/ids';
import { answerJson } from './answer-json.ts';
import { readBody } from './read-body.ts';
import type { KeyedRoute } from './route.ts';

/** A blockhash lives for 150 blocks of 0.4 s; said a little early, so that nobody signs what is about to expire. */
const PREPARED_LIFE_MS = 55_000;
const BUSINESS = 200;

export const preparePayment: KeyedRoute = {
  operationId: 'preparePayment',
  method: 'POST',
  path: '/sdk/public/payments/x402/prepare',
  access: 'publishable',
  summary: 'Prepare a Solana transaction',
  description:
    'Builds the transaction that pays the intent, for the payer’s wallet to sign. It may be prepared again at any time, also ' +
    'for another wallet: nothing can come of one before the relayer signs it, and it lives for about a minute. A refusal ' +
    'is 200 with `ok` false and a code in `error`.',
  body: { name: 'PrepareRequest', schema: prepareRequest },
  responses: {
    200: {
      description: 'The transaction, or why there is none',
      schema: { name: 'PrepareResponse', schema: prepareResponse },
    },
  },
  refusals: ['not_found', 'chain_unavailable'],
  async handle({ ports }, { caller, body }) {
    const request = readBody(prepareRequest, body);
    if (!request.ok) return request;
    const { paymentIntentId: intentId, publicKey, paymentRequirements: echo } = request.data;
    if (!isId('paymentIntent', intentId)) return { ok: false, code: 'not_found', param: null };
    const made = await prepare(ports, { caller, intentId, payer: publicKey || null, echo });
    if (!made.ok) {
      const { code, param = null } = made;
      if (ERRORS[code].status !== BUSINESS) return { ok: false, code, param };
      return answerJson({ ok: false, error: code, message: ERRORS[code].message } satisfies PrepareResponse);
    }
    const { transfer, wire } = made.prepared;
    const answer: PrepareResponse = {
      ok: true,
      transactionBase64: Buffer.from(wire).toString('base64'),
      lastValidBlockHeight: Number(transfer.lastValidBlockHeight),
      feePayer: transfer.relayer,
      expiresAt: isoTime(ports.clock.nowMs() + PREPARED_LIFE_MS),
    };
    return answerJson(answer);
  },
};

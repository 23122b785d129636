import { isoTime, signablePayment as makeSignable } from '@svc-pay/core';
import { prepareRequest, type SignableResponse, signableResponse } from '@svc-pay/protocol';
import { ERRORS } from '@svc-pay/protocol/errors';
import { isId } from '@svc-pay/protocol/ids';
import { answerJson } from './answer-json.ts';
import { readBody } from './read-body.ts';
import type { KeyedRoute } from './route.ts';

/** Said a little early: settle wants some seconds left. */
const EARLY_MS = 15_000;
const BUSINESS = 200;

export const signablePayment: KeyedRoute = {
  operationId: 'signablePayment',
  method: 'POST',
  path: '/sdk/public/payments/x402/signable',
  access: 'publishable',
  summary: 'Prepare a Solana message',
  description:
    'Writes the text that pays the intent, for the payer’s wallet to sign as a message. `fields` is the `authorization` of ' +
    'the header that settle then takes, beside the signature. Where the wallet has not approved the program for this ' +
    'amount, `setupTransactionBase64` does: the payer signs it, pays for it and sends it, once. Test networks only. A ' +
    'refusal is 200 with `ok` false and a code in `error`.',
  body: { name: 'PrepareRequest', schema: prepareRequest },
  responses: {
    200: {
      description: 'The text, or why there is none',
      schema: { name: 'SignableResponse', schema: signableResponse },
    },
  },
  refusals: ['not_found', 'chain_unavailable'],
  async handle({ ports }, { caller, body }) {
    const request = readBody(prepareRequest, body);
    if (!request.ok) return request;
    const { paymentIntentId: intentId, publicKey, paymentRequirements: echo } = request.data;
    if (!isId('paymentIntent', intentId)) return { ok: false, code: 'not_found', param: null };
    const made = await makeSignable(ports, { caller, intentId, payer: publicKey || null, echo });
    if (!made.ok) {
      const { code, param = null } = made;
      if (ERRORS[code].status !== BUSINESS) return { ok: false, code, param };
      return answerJson({ ok: false, error: code, message: ERRORS[code].message } satisfies SignableResponse);
    }
    const { text, authorization, relayer, program, setup } = made.signable;
    const validBeforeMs = Number(authorization.validBefore) * 1_000;
    const answer: SignableResponse = {
      ok: true,
      messageBase64: Buffer.from(text, 'utf8').toString('base64'),
      message: text,
      fields: { ...authorization, feePayer: relayer, program },
      ...(setup !== null && { setupTransactionBase64: Buffer.from(setup).toString('base64') }),
      expiresAt: isoTime(validBeforeMs - EARLY_MS),
    };
    return answerJson(answer);
  },
};

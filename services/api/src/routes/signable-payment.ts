import { isoTime, signablePayment as makeSignable } from '@svc-pay/core';
import { prepareRequest, type SignableResponse, signableResponse } from '@svc-pay/protocol';
import { answerPrepared } from './answer-prepared.ts';
import type { KeyedRoute } from './route.ts';

/** Reported expiry is earlier than the real one, because settle requires some seconds of remaining validity. */
const EARLY_MS = 15_000;

export const signablePayment: KeyedRoute = {
  operationId: 'signablePayment',
  method: 'POST',
  path: '/sdk/public/payments/x402/signable',
  access: 'publishable',
  scope: 'charge',
  quota: 'chain_reads',
  takesClientSecret: true,
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
  handle: ({ ports }, { caller, body }) =>
    answerPrepared(
      caller,
      body,
      (call) => makeSignable(ports, call),
      ({ signable: { text, authorization, relayer, program, setup } }): SignableResponse => ({
        ok: true,
        messageBase64: Buffer.from(text, 'utf8').toString('base64'),
        message: text,
        fields: { ...authorization, feePayer: relayer, program },
        ...(setup !== null && { setupTransactionBase64: Buffer.from(setup).toString('base64') }),
        expiresAt: isoTime(Number(authorization.validBefore) * 1_000 - EARLY_MS),
      }),
    ),
};

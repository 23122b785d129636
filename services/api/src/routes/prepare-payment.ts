import { isoTime, preparePayment as prepare } from '@svc-pay/core';
import { type PrepareResponse, prepareRequest, prepareResponse } from '@svc-pay/protocol';
import { answerPrepared } from './answer-prepared.ts';
import type { KeyedRoute } from './route.ts';

export const preparePayment: KeyedRoute = {
  operationId: 'preparePayment',
  method: 'POST',
  path: '/sdk/public/payments/x402/prepare',
  access: 'publishable',
  scope: 'charge',
  quota: 'chain_reads',
  takesClientSecret: true,
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
  handle: ({ ports }, { caller, body }) =>
    answerPrepared(
      caller,
      body,
      (call) => prepare(ports, call),
      ({ prepared: { transfer, wire }, expiresAtMs }): PrepareResponse => ({
        ok: true,
        transactionBase64: Buffer.from(wire).toString('base64'),
        lastValidBlockHeight: Number(transfer.lastValidBlockHeight),
        feePayer: transfer.relayer,
        expiresAt: isoTime(expiresAtMs),
      }),
    ),
};

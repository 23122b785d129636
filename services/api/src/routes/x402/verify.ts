import { verifyForSeller } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { type X402VerifyAnswer, x402VerifyAnswer } from '@svc-pay/protocol/x402';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { facilitatorRequest, messageOf, readFacilitatorRequest, reasonOf } from './facilitator-request.ts';

export const verify: KeyedRoute = {
  operationId: 'x402Verify',
  method: 'POST',
  path: '/x402/verify',
  access: 'secret',
  ignoresUnknownFields: true,
  scope: 'charge',
  quota: 'chain_reads',
  summary: 'Verify a payment for a stock x402 seller',
  description:
    'Checks a payment against the seller’s requirements and the chain, and leases it to this call: another verify of it is ' +
    'invalid until its settle or `validBefore`, so that one payment runs one handler. If the answer was lost, the next ' +
    'verify gets the lease. What a payer has leased counts against its balance. Every answer has this shape.',
  body: { name: 'X402FacilitatorRequest', schema: facilitatorRequest },
  responses: {
    200: { description: 'Whether it is valid', schema: { name: 'X402VerifyAnswer', schema: x402VerifyAnswer } },
  },
  refusals: [],
  refusalShape: (code) => invalid(code, 2, ''),
  async handle({ ports }, { caller, body }) {
    const read = readFacilitatorRequest(body);
    if (!read.ok)
      return answerJson(invalid('invalid_payment_header', read.version, read.network, { message: read.message }));
    const { payment, terms, network } = read;
    const verified = await verifyForSeller(ports, { caller, payment, terms });
    if (!verified.ok) {
      const { code, message, payer, signed } = verified;
      if (payer !== undefined && signed === true) ports.payerRefused(payer);
      return answerJson(invalid(code, payment.version, network, { message, payer }));
    }
    const { payer, lease } = verified;
    const answer: X402VerifyAnswer = { isValid: true, payer };
    return { ...answerJson(answer), answered: (arrived) => ports.noteAnswer(lease, arrived) };
  },
};

function invalid(
  code: ErrorCode,
  version: 1 | 2,
  network: string,
  { message, payer }: { readonly message?: string | undefined; readonly payer?: string | undefined } = {},
): X402VerifyAnswer {
  return {
    isValid: false,
    invalidReason: reasonOf(code, version, network, 'verify'),
    invalidMessage: messageOf(code, message),
    ...(payer !== undefined && { payer }),
  };
}

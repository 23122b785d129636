// What the two ways of preparing a Solana payment have in common: the same question, and the same way to say no.
import type { Caller, PrepareCall } from '@svc-pay/core';
import { prepareRequest } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { isId } from '@svc-pay/protocol/ids';
import { answerJson } from './answer-json.ts';
import type { Outcome } from './outcome.ts';
import { readBody } from './read-body.ts';

type Refusal = { readonly ok: false; readonly code: ErrorCode; readonly param?: string };

const BUSINESS = 200;

/** Answers with what `make` made of the request; what it refused for business reasons is 200 with `ok` false. */
export async function answerPrepared<Made extends { readonly ok: true }>(
  caller: Caller,
  body: unknown,
  make: (call: PrepareCall) => Promise<Made | Refusal>,
  answerOf: (made: Made) => object,
): Promise<Outcome> {
  const request = readBody(prepareRequest, body);
  if (!request.ok) return request;
  const { paymentIntentId: intentId, publicKey, paymentRequirements: echo } = request.data;
  if (!isId('paymentIntent', intentId)) return { ok: false, code: 'not_found', param: null };
  const made = await make({ caller, intentId, payer: publicKey || null, echo });
  if (made.ok) return answerJson(answerOf(made));
  const { code, param = null } = made;
  if (ERRORS[code].status !== BUSINESS) return { ok: false, code, param };
  return answerJson({ ok: false, error: code, message: ERRORS[code].message });
}

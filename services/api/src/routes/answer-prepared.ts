// Shared by the two routes that prepare a Solana payment: same request, same refusals.
import type { Caller, PrepareCall } from '@svc-pay/core';
import { prepareRequest } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { isId } from '@svc-pay/protocol/ids';
import { answerJson } from './answer-json.ts';
import type { RouteOutcome } from './outcome.ts';
import { readBody } from './read-body.ts';

type Refusal = { readonly ok: false; readonly code: ErrorCode; readonly param?: string };

const BUSINESS = 200;

/** Answers with the result of `make`. A refusal for business reasons is 200 with `ok` false. */
export async function answerPrepared<Made extends { readonly ok: true }>(
  caller: Caller,
  body: unknown,
  make: (call: PrepareCall) => Promise<Made | Refusal>,
  answerOf: (made: Made) => object,
): Promise<RouteOutcome> {
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

import { refundView, submitRefund as submit } from '@svc-pay/core';
import { refundResponse, submitRefundRequest } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import { readBody } from '../read-body.ts';
import type { KeyedRoute } from '../route.ts';
import { refundIdOf } from './refund-id.ts';

export const submitRefund: KeyedRoute = {
  operationId: 'submitRefund',
  method: 'POST',
  path: '/sdk/refunds/{refundId}/submit',
  access: 'secret',
  scope: 'refund',
  summary: 'Submit a signed refund',
  description:
    'Verifies what your wallet signed, reserves the amount and has it sent. `queued` and `sent` are no ends: read the refund, ' +
    'or wait for `payment.refunded` or `payment.updated`. The same signature again answers the refund as it is now. An ' +
    'idempotency key stands for its request, but no answer is kept under it.',
  body: { name: 'SubmitRefundRequest', schema: submitRefundRequest },
  responses: { 202: { description: 'The refund', schema: { name: 'RefundResponse', schema: refundResponse } } },
  refusals: [
    'not_found',
    'refund_signature_invalid',
    'refund_already_submitted',
    'refund_canceled',
    'refund_superseded',
    'refund_exceeds_paid',
    'refund_payment_not_final',
    'refund_wallet_unknown',
    'refund_recipient_needed',
    'refund_recipient_refused',
    'refund_insufficient_funds',
    'refund_not_available',
    'refund_found_on_chain',
    'refund_limit_reached',
    'chain_unavailable',
  ],
  async handle({ ports }, { caller, params, body, claim }) {
    const read = readBody(submitRefundRequest, body);
    if (!read.ok) return read;
    const { signature, transaction } = read.data;
    const refundId = refundIdOf(params);
    if (refundId === undefined) return { ok: false, code: 'not_found', param: null };
    const answer = { signature: signature ?? undefined, transaction: transaction ?? undefined };
    const submitted = await submit(ports, { caller, refundId, claim, answer });
    if (!submitted.ok) return { ...submitted, param: submitted.param ?? null };
    return answerJson({ refund: refundView(submitted.refund) }, 202);
  },
};

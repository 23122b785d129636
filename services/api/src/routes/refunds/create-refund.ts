import { createRefund as create } from '@svc-pay/core';
import { isId } from '@svc-pay/protocol/ids';
import { createdRefund, createRefundRequest } from '@svc-pay/protocol/merchant';
import { readBody } from '../read-body.ts';
import type { KeyedRoute } from '../route.ts';

export const createRefund: KeyedRoute = {
  operationId: 'createRefund',
  method: 'POST',
  path: '/sdk/payments/{paymentId}/refunds',
  access: 'secret',
  scope: 'refund',
  summary: 'Refund a payment',
  description:
    'Answers what your wallet signs: typed data on EVM, a transaction on Solana. Nothing is reserved and nothing moves until ' +
    'the signature is submitted. The service pays for the transaction. With `transactionId` it takes the report of a transfer ' +
    'that you made; `sign` is null then, and final blocks decide whether it counts. A payment can be refunded in parts, in all ' +
    'at most what was paid.',
  body: { name: 'CreateRefundRequest', schema: createRefundRequest },
  bodyOptional: true,
  responses: {
    201: {
      description: 'The refund, and what your wallet signs',
      schema: { name: 'CreatedRefund', schema: createdRefund },
    },
  },
  refusals: [
    'not_found',
    'invalid_amount',
    'refund_not_possible',
    'refund_payment_not_final',
    'refund_exceeds_paid',
    'refund_wallet_unknown',
    'refund_recipient_needed',
    'refund_to_not_needed',
    'refund_recipient_refused',
    'refund_insufficient_funds',
    'refund_not_available',
    'refund_transfer_not_proven',
    'refund_found_on_chain',
    'refund_superseded',
    'refund_limit_reached',
    'refund_signatures_used_up',
    'refund_too_small',
    'chain_unavailable',
  ],
  async handle({ ports }, { caller, params, body, claim }) {
    const read = readBody(createRefundRequest, body);
    if (!read.ok) return read;
    const { amount, refundTo, from, reason, transactionId, logIndex } = read.data;
    if (amount === '0') return { ok: false, code: 'invalid_amount', param: 'amount' };
    const isReported = transactionId !== undefined && transactionId !== null;
    if (!isReported && logIndex !== undefined && logIndex !== null)
      return { ok: false, code: 'malformed_request', param: 'logIndex' };
    const paymentId = params['paymentId'];
    if (!isId('payment', paymentId)) return { ok: false, code: 'not_found', param: null };
    const created = await create(ports, {
      caller,
      paymentId,
      amountAtomic: amount === undefined || amount === null ? undefined : BigInt(amount),
      refundTo: refundTo ?? undefined,
      from: from ?? undefined,
      reason: reason ?? null,
      reported: isReported ? { transactionId, logIndex: logIndex ?? null } : undefined,
      claim,
    });
    return created.ok ? created : { ...created, param: created.param ?? null };
  },
};

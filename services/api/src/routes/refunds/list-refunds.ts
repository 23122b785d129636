import { refundView } from '@svc-pay/core';
import { isId } from '@svc-pay/protocol/ids';
import { refundList } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';

export const listRefunds: KeyedRoute = {
  operationId: 'listRefunds',
  method: 'GET',
  path: '/sdk/payments/{paymentId}/refunds',
  access: 'secret',
  scope: 'read',
  summary: 'List the refunds of a payment',
  description: 'Every refund of the payment, the newest first.',
  responses: { 200: { description: 'The refunds', schema: { name: 'RefundList', schema: refundList } } },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const paymentId = params['paymentId'];
    const found = isId('payment', paymentId) ? await ports.refunds.list(caller, paymentId) : undefined;
    if (found === undefined) return { ok: false, code: 'not_found', param: null };
    return answerJson({ data: found.map(refundView), hasMore: false });
  },
};

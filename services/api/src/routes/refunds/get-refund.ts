import { refundView } from '@svc-pay/core';
import { refundResponse } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { refundIdOf } from './refund-id.ts';

export const getRefund: KeyedRoute = {
  operationId: 'getRefund',
  method: 'GET',
  path: '/sdk/refunds/{refundId}',
  access: 'secret',
  scope: 'read',
  summary: 'Get a refund',
  description: 'The refund as it is now.',
  responses: { 200: { description: 'The refund', schema: { name: 'RefundResponse', schema: refundResponse } } },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const refundId = refundIdOf(params);
    const refund = refundId && (await ports.refunds.load(caller, refundId));
    if (refund === undefined) return { ok: false, code: 'not_found', param: null };
    return answerJson({ refund: refundView(refund) });
  },
};

import { cancelRefund as cancel, refundView } from '@svc-pay/core';
import { refundResponse } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { refundIdOf } from './refund-id.ts';

export const cancelRefund: KeyedRoute = {
  operationId: 'cancelRefund',
  method: 'POST',
  path: '/sdk/refunds/{refundId}/cancel',
  access: 'secret',
  scope: 'refund',
  summary: 'Cancel a prepared refund',
  description:
    'Gives up a refund whose signature was not submitted. A signature that exists stays valid on chain until it expires. ' +
    'Takes no body.',
  responses: {
    200: { description: 'The refund, canceled', schema: { name: 'RefundResponse', schema: refundResponse } },
  },
  refusals: ['not_found', 'refund_not_cancelable'],
  async handle({ ports }, { caller, params, claim }) {
    const refundId = refundIdOf(params);
    if (refundId === undefined) return { ok: false, code: 'not_found', param: null };
    const canceled = await cancel(ports, { caller, refundId, claim });
    if (!canceled.ok) return { ...canceled, param: canceled.param ?? null };
    return answerJson({ refund: refundView(canceled.refund) });
  },
};

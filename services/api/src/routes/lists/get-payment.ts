import { intentView, paymentView } from '@svc-pay/core';
import { isId } from '@svc-pay/protocol/ids';
import { listedPayment } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';

export const getPayment: KeyedRoute = {
  operationId: 'getPayment',
  method: 'GET',
  path: '/sdk/payments/{paymentId}',
  access: 'secret',
  scope: 'read',
  summary: 'Get a payment',
  description: 'The payment and its intent as they are now.',
  responses: { 200: { description: 'The payment', schema: { name: 'ListedPayment', schema: listedPayment } } },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const id = params['paymentId'];
    const found = isId('payment', id) ? await ports.lists.payment(caller, id) : undefined;
    if (found === undefined) return { ok: false, code: 'not_found', param: null };
    const { payment, intent } = found;
    return answerJson({
      ...paymentView(payment, intent, caller.kind),
      paymentIntent: intentView(intent, caller.kind),
    });
  },
};

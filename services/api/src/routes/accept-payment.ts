import { isId } from '@svc-pay/protocol/ids';
import { listedPayment } from '@svc-pay/protocol/merchant';
import { getPayment } from './lists/get-payment.ts';
import type { KeyedRoute } from './route.ts';

export const acceptPayment: KeyedRoute = {
  operationId: 'acceptPayment',
  method: 'POST',
  path: '/sdk/payments/{paymentId}/accept',
  access: 'secret',
  scope: 'charge',
  quota: 'settles',
  summary: 'Accept a mismatched payment',
  description:
    'Completes the intent with a payment that is not what it asks for: another amount, or money that came too late or ' +
    'from another sender. What it paid counts as it is, and nothing of it is due back. The intent may be canceled or ' +
    'expired; if another payment completed it, refund this one. Accepting it again answers the same. Takes no body.',
  responses: {
    200: { description: 'The payment, completed', schema: { name: 'ListedPayment', schema: listedPayment } },
  },
  refusals: [
    'not_found',
    'payment_not_mismatched',
    'intent_paid_by_another',
    'intent_payment_under_way',
    'payment_being_refunded',
  ],
  async handle(world, request) {
    const { caller, params, requestId } = request;
    const id = params['paymentId'];
    const known = isId('payment', id) ? await world.ports.lists.payment(caller, id) : undefined;
    if (!isId('payment', id) || known === undefined) return { ok: false, code: 'not_found', param: null };
    const accepted = await world.ports.acceptPayment({ caller, paymentId: id, requestId });
    return accepted.ok ? getPayment.handle(world, request) : { ok: false, code: accepted.code, param: null };
  },
};

import { onEvent } from '@svc-pay/server';
import { webhookRoute } from '@svc-pay/server/next';
import { deduplicator, orders, receiver } from '../../../lib/shop.js';

const handle = onEvent({
  'payment.completed': ({ data: { object: payment } }) => {
    const order = orders.get(payment.paymentIntentId);
    if (order !== undefined) order.status = 'paid';
  },
  default: () => {},
});

export const POST = webhookRoute({ receiver, handle, deduplicator });

// Handles the shop's webhook events. An order is found by the intent that the shop made for it, so token and price are the
// shop's own. Metadata decides nothing: whoever has the publishable key can write it.
import { onEvent } from '@svc-pay/server';
import { ceilingOf, itemOf } from './items.ts';
import type { Orders } from './orders.ts';

export function hearEvents(orders: Orders) {
  return onEvent({
    x402_upto_authorization_received: async ({ data: { object: intent } }) => {
      const order = await orders.findByIntent(intent.paymentIntentId);
      if (order !== undefined) await orders.authorize(order.id);
    },
    'payment.completed': async ({ data: { object: payment } }) => {
      const order = await orders.findByIntent(payment.paymentIntentId);
      const item = order && itemOf(order.item);
      const { paidAmount, transactionId } = payment;
      if (order === undefined || item === undefined || paidAmount === null) return;
      const returnedAtomic = String(ceilingOf(item) - BigInt(paidAmount));
      await orders.pay(order.id, { chargedAtomic: paidAmount, returnedAtomic, transactionId });
    },
    'payment.failed': async ({ data: { object: payment } }) => {
      const order = await orders.findByIntent(payment.paymentIntentId);
      if (order === undefined) return;
      // An exact order stays open: its intent may be paid by another attempt.
      if (await orders.note(order.id, 'a payment failed; nothing was taken')) return;
      await orders.fail(order.id, 'the payment failed; nothing was taken');
    },
    default: () => {},
  });
}

/** Event types that the shop subscribes to. */
export const HEARD = ['x402_upto_authorization_received', 'payment.completed', 'payment.failed'] as const;

// Handles the shop's webhook events. The order id comes from metadata, which anybody with the publishable key can
// write, so an event counts only if token and amount match the order.
import { onEvent } from '@svc-pay/server';
import { ceilingOf, type Item, itemOf } from './items.ts';
import type { Order } from './order.ts';
import type { Orders } from './orders.ts';

const CONFIRMED_CAP = 'svc_x402_upto_max_amount_atomic';

export type Hearing = {
  readonly orders: Orders;
  /** Address of a token that the shop accepts. */
  readonly assetOf: (tokenShortcode: string) => string | undefined;
};

export function hearEvents({ orders, assetOf }: Hearing) {
  const isPaidIn = (address: string | null, { tokenShortcode }: Item) =>
    address !== null && address.toLowerCase() === assetOf(tokenShortcode)?.toLowerCase();
  const orderOf = async (metadata: Readonly<Record<string, unknown>>): Promise<Order | undefined> => {
    const id = metadata['order'];
    return typeof id === 'string' ? orders.find(id) : undefined;
  };
  return onEvent({
    x402_upto_authorization_received: async ({ data: { object: intent } }) => {
      const order = await orderOf(intent.metadata);
      const item = order && itemOf(order.item);
      if (order === undefined || item?.sale.kind !== 'upto' || !isPaidIn(intent.ledgerCanisterId, item)) return;
      if (intent.metadata[CONFIRMED_CAP] !== String(ceilingOf(item))) return;
      await orders.authorize(order.id, intent.paymentIntentId);
    },
    'payment.completed': async ({ data: { object: payment } }) => {
      const order = await orderOf(payment.metadata);
      const item = order && itemOf(order.item);
      const { paymentIntentId: intentId, paidAmount, transactionId } = payment;
      if (order === undefined || item === undefined || paidAmount === null) return;
      if (!isPaidIn(payment.ledgerCanisterId, item)) return;
      const { sale } = item;
      const isExpected = sale.kind === 'exact' ? BigInt(paidAmount) === sale.priceAtomic : order.intentId === intentId;
      if (!isExpected) return;
      const returnedAtomic = String(ceilingOf(item) - BigInt(paidAmount));
      await orders.pay(order.id, { intentId, chargedAtomic: paidAmount, returnedAtomic, transactionId });
    },
    'payment.failed': async ({ data: { object: payment } }) => {
      const order = await orderOf(payment.metadata);
      if (order === undefined) return;
      if (order.intentId === payment.paymentIntentId)
        await orders.fail(order.id, 'the payment failed; nothing was taken');
      else await orders.note(order.id, 'a payment failed; nothing was taken');
    },
    default: () => {},
  });
}

/** Event types that the shop subscribes to. */
export const HEARD = ['x402_upto_authorization_received', 'payment.completed', 'payment.failed'] as const;

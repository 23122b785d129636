// An order and the intent that pays it, made by the shop's server: the price never passes through the page.
import { randomUUID } from 'node:crypto';
import type { SvcPay } from '@svc-pay/server';
import { ceilingOf, type Item } from './items.ts';
import type { Orders } from './orders.ts';

/** The order's id; undefined if no payment can be taken for it. */
export async function placeOrder(orders: Orders, svc: SvcPay, item: Item): Promise<string | undefined> {
  const id = randomUUID();
  const created = await svc.intents.create(
    {
      amount: String(ceilingOf(item)),
      tokenShortcode: item.tokenShortcode,
      x402Upto: item.sale.kind === 'upto',
      description: item.name,
      metadata: { order: id },
    },
    { idempotencyKey: id },
  );
  if (!created.ok || created.clientSecret === null) return undefined;
  // Without X402 the test wallets pay by a transfer on the Internet Computer, and in no other way.
  if (created.kind === 'fallback' && !created.fallback.regular.some(({ kind }) => kind === 'icrc1_transfer'))
    return undefined;
  const { paymentIntentId: intentId, clientSecret } = created;
  await orders.place({ id, item: item.id, intentId, clientSecret });
  return id;
}

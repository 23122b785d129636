import { orders, svc } from '../../../lib/shop.js';

export async function POST() {
  const created = await svc.intents.create({ usdAmount: '2', tokenShortcode: 'anvil_usdc', description: 'a book' });
  if (!created.ok || created.kind === 'fallback') {
    return Response.json({ error: 'no payment can be taken at the moment' }, { status: 503 });
  }
  // An order is known by its intent, so that the webhook finds it.
  orders.set(created.paymentIntentId, { status: 'open' });
  // With the client secret its buyer pays this one intent; no key leaves the shop.
  return Response.json({ ...created.paymentRequired, clientSecret: created.clientSecret }, { status: 402 });
}

// A shop with one thing to sell. An order is paid when the service says so by webhook, and not before.
import { randomUUID } from 'node:crypto';
import { createDeduplicator, createMemoryStore, createReceiver, createSvcPay, onEvent, orThrow } from '@svc-pay/server';
import { webhookHandler } from '@svc-pay/server/express';
import express from 'express';

const { BASE_URL, SECRET_KEY, ACCOUNT_ID, WEBHOOK_SECRET, PORT = '3000' } = process.env;
const svc = createSvcPay({ baseUrl: BASE_URL, secretKey: SECRET_KEY, accountId: ACCOUNT_ID });

const orders = new Map();
const orderOfIntent = new Map();

const handle = onEvent({
  'payment.completed': ({ data: { object: payment } }) => {
    // By the intent that the shop made itself. Metadata would not do: whoever has the publishable key can write it.
    const order = orders.get(orderOfIntent.get(payment.paymentIntentId));
    if (order === undefined) return;
    order.status = 'paid';
    order.transactionId = payment.transactionId;
    console.log(`paid: ${order.id}`);
  },
  default: () => {},
});

const app = express();

// Before anything that parses JSON: what is signed are the bytes.
app.post(
  '/webhooks',
  webhookHandler({
    receiver: createReceiver({ secrets: [WEBHOOK_SECRET ?? (await newEndpoint())] }),
    handle,
    deduplicator: createDeduplicator({ store: createMemoryStore() }),
    onRefusal: ({ code, advice }) => console.error(`${code}: ${advice}`),
    onError: (error) => console.error(error),
  }),
);

app.post('/orders', async (_, response) => {
  const order = { id: randomUUID(), item: 'a pot of tea', status: 'open', transactionId: null };
  const created = await svc.intents.create(
    { usdAmount: '1.50', tokenShortcode: 'anvil_usdc', description: order.item, metadata: { order: order.id } },
    { idempotencyKey: order.id },
  );
  if (!created.ok || created.kind === 'fallback') {
    console.error(created.ok ? created.fallback.error : `${created.code} ${created.requestId}`);
    response.status(503).json({ error: 'no payment can be taken at the moment' });
    return;
  }
  orders.set(order.id, order);
  orderOfIntent.set(created.paymentIntentId, order.id);
  // With the client secret its buyer pays this one intent, and reads how it stands; no key leaves the shop.
  response.status(402).json({ order: order.id, ...created.paymentRequired, clientSecret: created.clientSecret });
});

app.get('/orders/:id', (request, response) => {
  const order = orders.get(request.params.id);
  response.status(order === undefined ? 404 : 200).json(order ?? { error: 'no such order' });
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${PORT}`));

/** For a shop that is tried out. A real one is created once, and its secret is kept with the other secrets. */
async function newEndpoint() {
  const { endpoint, secret } = orThrow(
    await svc.endpoints.create({
      url: `http://127.0.0.1:${PORT}/webhooks`,
      eventTypes: ['payment.completed'],
    }),
  );
  process.once('SIGTERM', () => void svc.endpoints.delete(endpoint.id).finally(() => process.exit()));
  return secret;
}

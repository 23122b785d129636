// Demo shop: a merchant's program that uses only the public interface of the service.
import type { Database } from '@svc-pay/postgres';
import { createDeduplicator, createPostgresStore, createReceiver, createSvcPay } from '@svc-pay/server';
import { webhookPlugin } from '@svc-pay/server/fastify';
import type { FastifyInstance } from 'fastify';
import type { PageFiles } from '../serve/bundle-pages.ts';
import { streamStates } from '../serve/event-stream.ts';
import { type PageServer, servePages } from '../serve/serve-pages.ts';
import { hearEvents } from './hear-events.ts';
import { itemOf } from './items.ts';
import { keepEndpoint } from './keep-endpoint.ts';
import { listenToOrders } from './listen-to-orders.ts';
import { closeTab, serveLine } from './meter.ts';
import { viewOf } from './order-view.ts';
import { createOrders } from './orders.ts';
import { placeOrder } from './place-order.ts';
import type { ShopFacts } from './shop-facts.ts';
import { orderPage, shopPage } from './shop-pages.ts';

export type ShopOptions = {
  readonly port: number;
  readonly files: PageFiles;
  readonly database: Database;
  readonly secretKey: string;
  readonly accountId: string;
  readonly facts: Omit<ShopFacts, 'order'>;
  readonly complain: (text: string) => void;
};

const STREAM_PAUSE_MS = 2_000;

type OfOrder = { Params: { id: string } };

export async function serveShop(options: ShopOptions): Promise<PageServer> {
  const { port, files, database, secretKey, accountId, facts, complain } = options;
  const svc = createSvcPay({ baseUrl: facts.baseUrl, secretKey, accountId });
  const orders = createOrders(database);
  const secret = await keepEndpoint(svc, database, `http://127.0.0.1:${port}/webhooks`);
  const webhooks = webhookPlugin('/webhooks', {
    receiver: createReceiver({ secrets: [secret] }),
    handle: hearEvents(orders),
    deduplicator: createDeduplicator({ store: createPostgresStore(database.pool) }),
    onRefusal: ({ code, advice }) => complain(`a webhook was refused, ${code}: ${advice}`),
    onError: (problem) => complain(`a webhook was not dealt with: ${String(problem)}`),
  });
  const changes = await listenToOrders(database);
  const load = async (id: string) => {
    const order = await orders.find(id);
    return order && viewOf(order);
  };

  const server = await servePages(port, files, async (app: FastifyInstance) => {
    await app.register(webhooks);
    app.get('/', async (_request, reply) => reply.type('text/html').send(shopPage(facts, await orders.latest(6))));

    app.post<{ Body: { item?: string } | null }>('/orders', async ({ body, headers }, reply) => {
      const item = itemOf(body?.item ?? '');
      if (item === undefined || facts.expect[item.tokenShortcode] === undefined)
        return reply.code(404).send({ error: 'the shop does not have it' });
      const id = await placeOrder(orders, svc, item);
      if (id === undefined) return reply.code(503).send({ error: 'no payment can be taken at the moment' });
      if (headers.accept === 'application/json') return reply.code(201).send(await load(id));
      return reply.redirect(`/orders/${id}`, 303);
    });
    app.get<OfOrder>('/orders/:id', async ({ params, headers }, reply) => {
      const order = await load(params.id);
      if (order === undefined) return reply.code(404).send({ error: 'no such order' });
      if (headers.accept === 'application/json') return order;
      return reply.type('text/html').send(orderPage(facts, order));
    });
    app.get<OfOrder>('/orders/:id/stream', async (request, reply) => {
      const { id } = request.params;
      const listen = (wake: () => void, signal: AbortSignal) => changes.follow(id, wake, signal);
      await streamStates(request, reply, { read: () => load(id), pauseMs: () => STREAM_PAUSE_MS, listen });
    });
    app.post<OfOrder>('/orders/:id/lines', async ({ params: { id } }, reply) => {
      const served = await serveLine(orders, id);
      return served.ok ? served : reply.code(served.status).send({ error: served.error });
    });
    app.post<OfOrder>('/orders/:id/close', async ({ params: { id } }, reply) => {
      const charged = await closeTab(orders, svc, id);
      return charged.ok ? await load(id) : reply.code(charged.status).send({ error: charged.error });
    });
  });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await changes.stop();
      await database.close();
    },
  };
}

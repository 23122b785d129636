import Fastify from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { body, receiver, type Serve, testAdapterContract } from '../testing/adapter-contract.ts';
import { signed } from '../testing/sample-event.ts';
import { webhookPlugin } from './fastify.ts';

const serve: Serve = async (options) => {
  const app = Fastify();
  onTestFinished(() => app.close());
  await app.register(webhookPlugin('/webhooks', options));
  return async (bytes, headers) => {
    const response = await app.inject({ method: 'POST', url: '/webhooks', payload: Buffer.from(bytes), headers });
    return { status: response.statusCode, text: response.payload };
  };
};

describe('Fastify', () => {
  testAdapterContract(serve);

  test('the rest of the application parses JSON as before', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    app.post('/orders', (request, reply) => reply.send(request.body));
    await app.register(webhookPlugin('/webhooks', { receiver, handle: () => {} }));
    const order = await app.inject({ method: 'POST', url: '/orders', payload: { id: 1 } });
    expect(order.json()).toEqual({ id: 1 });
    const delivery = { method: 'POST', url: '/webhooks', payload: body, headers: signed(body) } as const;
    expect((await app.inject(delivery)).statusCode).toBe(200);
  });

  test('a body that something else parsed is refused, with advice', async () => {
    const onRefusal = vi.fn();
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(async (scope) => {
      scope.addHook('preHandler', async (request) => void (request.body = JSON.parse(String(request.body))));
      await webhookPlugin('/webhooks', { receiver, handle: () => {}, onRefusal })(scope);
    });
    const delivery = { method: 'POST', url: '/webhooks', payload: body, headers: signed(body) } as const;
    expect((await app.inject(delivery)).json()).toEqual({ error: 'body_not_raw_bytes' });
    expect(onRefusal).toHaveBeenCalledWith(
      expect.objectContaining({ advice: expect.stringContaining('without fastify-plugin') }),
    );
  });
});

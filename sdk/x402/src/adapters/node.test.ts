import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fakeFacilitator, type Script, unsettled } from '../testing/fake-facilitator.ts';
import { testKeptAnswerContract } from '../testing/kept-answer-contract.ts';
import type { Serve } from '../testing/open-sale.ts';
import { testProtectContract } from '../testing/protect-contract.ts';
import { decoded, paymentFor } from '../testing/sample-payment.ts';
import { createProtect as createForExpress } from './express.ts';
import { createProtect as createForFastify } from './fastify.ts';

type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => unknown;
type ExpressResponse = ServerResponse & {
  status: (code: number) => ExpressResponse;
  set: (headers: Record<string, string>) => ExpressResponse;
  send: (body: string) => void;
};
type ExpressHandler = (request: IncomingMessage, response: ExpressResponse, next: (error?: unknown) => void) => unknown;
type ExpressApp = RequestListener & {
  set: (name: string, value: string) => void;
  use: (...given: (string | Middleware | ExpressApp)[]) => void;
  post: (path: string, protection: Middleware, handler: ExpressHandler) => void;
};
/** Express brings no types along. */
const express = createRequire(import.meta.url)('express') as () => ExpressApp;

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const overExpress: Serve = async (options, terms, handler) => {
  const app = express();
  app.set('env', 'test');
  const protect = createForExpress(options);
  // Express 5 takes a promise, and its rejection as the handler's error.
  app.post('/data', protect(terms), (request, response) =>
    text(request)
      .then((body) => handler(body, request))
      .then(({ status, body, headers = {} }) => response.status(status).set(headers).send(body)),
  );
  const url = await listen(app);
  return (init, query = '') => fetch(`${url}/data${query}`, init);
};

const overFastify: Serve = async (options, terms, handler) => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const protect = createForFastify(options);
  app.post<{ Body: string }>('/data', protect(terms), async (request, reply) => {
    const { status, body, headers = {} } = await handler(request.body, request);
    return reply.code(status).headers(headers).send(body);
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return (init, query = '') => fetch(`${url}/data${query}`, init);
};

describe.each([
  ['Express', overExpress],
  ['Fastify', overFastify],
] as const)('%s', (_, serve) => {
  testProtectContract(serve);
  testKeptAnswerContract(serve);
});

/** A POST that pays after it was told the price, or does not. */
async function buy(url: string, paid: boolean): Promise<Response> {
  const challenge = await fetch(url, { method: 'POST' });
  expect(challenge.status).toBe(402);
  if (!paid) return challenge;
  return fetch(url, { method: 'POST', headers: { 'payment-signature': paymentFor(challenge) } });
}

test.each([
  ['Express', overExpress],
  ['Fastify', overFastify],
] as const)('%s: an answer whose connection broke reaches the same request with the same payment', async (_, serve) => {
  const { options, callsOf } = await fakeFacilitator();
  const [started, gate] = [Promise.withResolvers<object>(), Promise.withResolvers<void>()];
  let runs = 0;
  const send = await serve(options, { price: '$0.01' }, async (_body, request) => {
    runs += 1;
    started.resolve(request);
    await gate.promise;
    return { status: 200, body: 'what was paid for' };
  });
  const init = { method: 'POST', body: 'asked' };
  const headers = { 'payment-signature': paymentFor(await send(init)) };
  const broken = new AbortController();
  const lost = send({ ...init, headers, signal: broken.signal }).catch(() => 'lost');
  const request = (await started.promise) as IncomingMessage & { raw?: IncomingMessage };
  const closed = new Promise((resolve) => void (request.raw ?? request).socket.once('close', resolve));
  broken.abort();
  expect(await lost).toBe('lost');
  await closed;
  gate.resolve();
  expect(await (await send({ ...init, headers })).text()).toBe('what was paid for');
  expect([runs, callsOf('/x402/settle').length]).toEqual([1, 1]);
});

test('a handler that destroys its response is not waited for by the next request, and nothing is settled', async () => {
  const { options, callsOf } = await fakeFacilitator();
  const app = express();
  app.set('env', 'test');
  app.post('/data', createForExpress(options)({ price: '$0.01' }), (_request, response) => void response.destroy());
  const fastify = Fastify();
  onTestFinished(() => fastify.close());
  fastify.post('/data', createForFastify(options)({ price: '$0.01' }), (_request, reply) => {
    reply.hijack();
    reply.raw.destroy();
  });
  for (const url of [await listen(app), await fastify.listen({ port: 0, host: '127.0.0.1' })]) {
    const headers = { 'payment-signature': paymentFor(await fetch(`${url}/data`, { method: 'POST' })) };
    for (let times = 0; times < 2; times += 1)
      await expect(fetch(`${url}/data`, { method: 'POST', headers })).rejects.toThrow();
  }
  expect([callsOf('/x402/verify').length, callsOf('/x402/settle')]).toEqual([4, []]);
});

/** Ways to answer around the framework, by Node's own response. */
const RAW_ANSWERS: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  [
    'writeHead with a list, chunks, end',
    (response) => {
      response.writeHead(201, 'Made', ['content-type', 'text/plain', 'x-own', 'kept']);
      response.flushHeaders();
      response.write('what was ');
      response.write(Buffer.from('paid for'), () => response.end());
    },
  ],
  [
    'a stream',
    (response) => {
      response.writeHead(201, { 'x-own': 'kept' });
      Readable.from(['what ', 'was ', 'paid for']).pipe(response);
    },
  ],
  [
    'a second end',
    (response) => {
      response.statusCode = 201;
      response.setHeader('x-own', 'kept');
      response.end('what was paid for');
      response.end('and more');
      expect(response.writableEnded).toBe(true);
    },
  ],
];

describe.each(RAW_ANSWERS)('an answer by %s', (_, answer) => {
  async function urls(script: Script) {
    const { options } = await fakeFacilitator(script);
    const app = express();
    app.post('/data', createForExpress(options)({ price: '$0.01' }), (_request, response) => answer(response));
    const fastify = Fastify();
    onTestFinished(() => fastify.close());
    fastify.post('/data', createForFastify(options)({ price: '$0.01' }), (_request, reply) => {
      reply.hijack();
      answer(reply.raw);
    });
    return [await listen(app), await fastify.listen({ port: 0, host: '127.0.0.1' })].map((url) => `${url}/data`);
  }

  test('leaves whole when it is paid', async () => {
    for (const url of await urls({})) {
      const paid = await buy(url, true);
      expect([paid.status, await paid.text(), paid.headers.get('x-own')]).toEqual([201, 'what was paid for', 'kept']);
    }
  });

  test('does not leave when it is not', async () => {
    for (const url of await urls({ '/x402/settle': [unsettled('invalid_exact_evm_insufficient_balance')] })) {
      const unpaid = await buy(url, true);
      expect(unpaid.status).toBe(402);
      expect(await unpaid.text()).not.toContain('paid for');
      expect(unpaid.headers.get('x-own')).toBeNull();
    }
  });
});

test('Express: headers of earlier middleware stay in every answer, and a mounted route has its whole address', async () => {
  const { options } = await fakeFacilitator();
  const [app, mounted] = [express(), express()];
  app.use((_request, response, next) => {
    response.setHeader('access-control-allow-origin', '*');
    next();
  });
  mounted.post('/data', createForExpress(options)({ price: '$0.01' }), (_request, response) => response.send('words'));
  app.use('/v1', mounted);
  const url = `${await listen(app)}/v1/data?city=paris`;
  const challenge = await buy(url, false);
  expect(decoded(challenge.headers.get('payment-required')).resource.url).toBe(url);
  for (const answer of [challenge, await buy(url, true)])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
});

test('Fastify: a request that its schema refuses is not verified; headers of a plugin stay in the 402', async () => {
  const { options, callsOf } = await fakeFacilitator();
  const app = Fastify();
  onTestFinished(() => app.close());
  app.addHook('onRequest', async (_request, reply) => void reply.header('access-control-allow-origin', '*'));
  const body = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };
  app.post('/data', { ...createForFastify(options)({ price: '$0.01' }), schema: { body } }, async () => 'words');
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/data`;
  const ask = (payload: object, headers = {}) =>
    fetch(url, {
      method: 'POST',
      body: JSON.stringify(payload),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const challenge = await ask({ city: 'paris' });
  expect([challenge.status, challenge.headers.get('access-control-allow-origin')]).toEqual([402, '*']);
  const payment = { 'payment-signature': paymentFor(challenge) };
  expect((await ask({}, payment)).status).toBe(400);
  expect(callsOf('/x402/verify')).toEqual([]);
  expect(await (await ask({ city: 'paris' }, payment)).text()).toBe('words');
});

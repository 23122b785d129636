// A seller with @svc-pay/x402 on four frameworks, each with the same routes: /data at a price, /echo that reads a body,
// /broken that fails, and /words up to a dollar. Tells how often each handler ran.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { charge, createProtect as forExpress } from '@svc-pay/x402/express';
import { createProtect as forFastify } from '@svc-pay/x402/fastify';
import { createProtect as forHono } from '@svc-pay/x402/hono';
import { createProtect as forNext } from '@svc-pay/x402/next';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { NextRequest, NextResponse } from 'next/server.js';
import { serveCommands, settings } from './serve-commands.mjs';

const runs = {};
const problems = [];
const ran = (framework, path) => {
  const name = `${framework}${path}`;
  runs[name] = (runs[name] ?? 0) + 1;
};
const options = { ...settings.seller, onProblem: (problem) => problems.push(problem) };
const PRICE = { price: '$0.01', description: 'a page' };
const CAP = { upTo: '$1.00' };
const CHARGE = '$0.37';

function expressApp() {
  const protect = forExpress(options);
  const app = express();
  app.get('/data', protect(PRICE), (_, response) => {
    ran('express', '/data');
    response.set('cache-control', 'public, max-age=60').json({ sky: 'clear' });
  });
  app.post('/echo', protect(PRICE), express.text({ type: '*/*' }), (request, response) => response.send(request.body));
  app.get('/broken', protect(PRICE), () => {
    ran('express', '/broken');
    throw new Error('broken');
  });
  app.get('/words', protect(CAP), (request, response) => {
    ran('express', '/words');
    charge(request, CHARGE);
    response.json({ words: 37 });
  });
  return createServer(app);
}

function honoApp() {
  const protect = forHono(options);
  const app = new Hono();
  app.get('/data', protect(PRICE), (c) => {
    ran('hono', '/data');
    c.header('cache-control', 'public, max-age=60');
    return c.json({ sky: 'clear' });
  });
  app.post('/echo', protect(PRICE), async (c) => c.text(await c.req.text()));
  app.get('/broken', protect(PRICE), () => {
    ran('hono', '/broken');
    throw new Error('broken');
  });
  app.get('/words', protect(CAP), (c) => {
    ran('hono', '/words');
    charge(c, CHARGE);
    return c.json({ words: 37 });
  });
  return serveWeb((request) => app.fetch(request));
}

function fastifyApp() {
  const protect = forFastify(options);
  const app = fastify();
  app.get('/data', protect(PRICE), async (_, reply) => {
    ran('fastify', '/data');
    reply.header('cache-control', 'public, max-age=60');
    return { sky: 'clear' };
  });
  app.post('/echo', protect(PRICE), async (request) => request.body);
  app.get('/broken', protect(PRICE), async () => {
    ran('fastify', '/broken');
    throw new Error('broken');
  });
  app.get('/words', protect(CAP), async (request) => {
    ran('fastify', '/words');
    charge(request, CHARGE);
    return { words: 37 };
  });
  return app;
}

function nextApp() {
  const protect = forNext(options);
  const routes = {
    '/data': protect(PRICE, () => {
      ran('next', '/data');
      return NextResponse.json({ sky: 'clear' }, { headers: { 'cache-control': 'public, max-age=60' } });
    }),
    '/echo': protect(PRICE, async (request) => new NextResponse(await request.text())),
    '/broken': protect(PRICE, () => {
      ran('next', '/broken');
      return NextResponse.json({ error: 'broken' }, { status: 500 });
    }),
    '/words': protect(CAP, (request) => {
      ran('next', '/words');
      charge(request, CHARGE);
      return NextResponse.json({ words: 37 });
    }),
  };
  return serveWeb((request) => routes[new URL(request.url).pathname](new NextRequest(request)));
}

/** Web-standard requests and responses over Node's server. */
function serveWeb(answer) {
  return createServer(async (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const body = method === 'GET' ? undefined : await text(incoming);
    const response = await answer(new Request(`http://${headers.host}${url}`, { method, headers, body }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
}

async function listen(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

const urls = {
  express: await listen(expressApp()),
  hono: await listen(honoApp()),
  next: await listen(nextApp()),
  fastify: await fastifyApp().listen({ port: 0, host: '127.0.0.1' }),
};
serveCommands({ runs: () => runs, problems: () => problems }, { urls });

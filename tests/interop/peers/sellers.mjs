// One seller of each published middleware, for one price, in one process; each listens on its own port. Settings:
// facilitatorUrl, secretKey, payTo, price ("$0.01"), asset and amount (for mppx). The chain is Base Sepolia's by id.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware as express2, x402ResourceServer } from '@x402/express';
import { paymentMiddleware as hono2 } from '@x402/hono';
import express from 'express';
import { Hono } from 'hono';
import { evm } from 'mppx/evm/server';
import { Mppx } from 'mppx/server';
import { paymentMiddleware as express1 } from 'x402-express';
import { serveCommands, settings } from './serve-commands.mjs';

// Node does not find `next/server` from a module, only from CommonJS; a bundler finds both.
const require = createRequire(import.meta.url);
const { withX402, x402ResourceServer: NextResourceServer } = require('@x402/next');
const { NextRequest, NextResponse } = require('next/server');

const { facilitatorUrl, secretKey, payTo, price, asset } = settings;
const network = 'eip155:84532';
const headers = { authorization: `Bearer ${secretKey}` };
const createAuthHeaders = async () => ({ supported: headers, verify: headers, settle: headers });
const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl, createAuthHeaders });
const route = { accepts: { scheme: 'exact', price, network, payTo }, description: 'goods' };
const runs = {};

function ran(name) {
  runs[name] = (runs[name] ?? 0) + 1;
  return { goods: name };
}

const listen = (handler) =>
  new Promise((resolve) => {
    const server = createServer(handler).listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${server.address().port}/paid`);
    });
  });

/** A handler of web requests behind Node's server. */
const web = (handle) => async (request, response) => {
  const url = `http://${request.headers.host}${request.url}`;
  const given = new Request(url, {
    headers: Object.entries(request.headers).filter(([, value]) => typeof value === 'string'),
  });
  try {
    const answer = await handle(given);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  } catch (problem) {
    response.writeHead(500).end(String(problem?.stack));
  }
};

function expressSeller() {
  const app = express();
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());
  app.use(express2({ 'GET /paid': route }, server));
  app.get('/paid', (_, response) => response.json(ran('@x402/express')));
  return app;
}

function honoSeller() {
  const app = new Hono();
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());
  app.use(hono2({ 'GET /paid': route }, server));
  app.get('/paid', (context) => context.json(ran('@x402/hono')));
  return web((request) => app.fetch(request));
}

function nextSeller() {
  const server = new NextResourceServer(facilitator).register(network, new ExactEvmScheme());
  const handler = withX402(async () => NextResponse.json(ran('@x402/next')), route, server);
  return web((request) => handler(new NextRequest(request)));
}

function expressSellerV1() {
  const app = express();
  app.use(
    express1(payTo, { 'GET /paid': { price, network: 'base-sepolia' } }, { url: facilitatorUrl, createAuthHeaders }),
  );
  app.get('/paid', (_, response) => response.json(ran('x402-express')));
  return app;
}

function mppxSeller() {
  const charge = evm.charge({
    currency: asset,
    chainId: 84532,
    decimals: 6,
    authorization: { name: 'USDC', version: '2' },
    recipient: payTo,
    x402: { facilitator },
  });
  const seller = Mppx.create({
    methods: [charge],
    secretKey: 'a secret of the seller, 32 bytes long',
    realm: '127.0.0.1',
  });
  return web(async (request) => {
    const charged = await seller.charge({ amount: price.slice(1) })(request);
    return charged.status === 402 ? charged.challenge : charged.withReceipt(Response.json(ran('mppx')));
  });
}

const sellers = {
  '@x402/express': expressSeller,
  '@x402/hono': honoSeller,
  '@x402/next': nextSeller,
  'x402-express': expressSellerV1,
  mppx: mppxSeller,
};
const urls = {};
for (const [name, create] of Object.entries(sellers)) urls[name] = await listen(create());
serveCommands({ runs: () => runs }, { urls });

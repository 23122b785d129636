// A seller with one of the published packages, as its page shows it: one paid route, this service as its facilitator. The
// handler counts its runs. `kind`: express, hono, next (version 2), express-v1 and mppx.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { serveCommands, settings } from './serve-commands.mjs';

const { kind, facilitator, secretKey, payTo, price = '$0.01' } = settings;
const NETWORK = 'eip155:84532';
const state = { runs: 0, delayMs: 0, fails: false };

const authorization = { Authorization: `Bearer ${secretKey}` };
const createAuthHeaders = async () => ({ verify: authorization, settle: authorization, supported: authorization });

/** The facilitator client, with what the last calls answered. */
const calls = [];
function facilitatorClient(Client = HTTPFacilitatorClient) {
  const client = new Client({ url: facilitator, createAuthHeaders });
  return new Proxy(client, {
    get(target, name) {
      const value = target[name];
      if (name !== 'verify' && name !== 'settle') return typeof value === 'function' ? value.bind(target) : value;
      return async (...given) => {
        try {
          const answer = await value.apply(target, given);
          calls.push({ name, answer });
          return answer;
        } catch (problem) {
          calls.push({ name, thrown: String(problem?.message ?? problem) });
          throw problem;
        }
      };
    },
  });
}

async function handle() {
  state.runs += 1;
  await new Promise((resolve) => setTimeout(resolve, state.delayMs));
  return state.fails
    ? { status: 500, body: { error: 'the handler failed' } }
    : { status: 200, body: { goods: state.runs } };
}

const route = { accepts: { scheme: 'exact', price, network: NETWORK, payTo }, description: 'Weather' };

const SELLERS = {
  express: async () => {
    const { default: express } = await import('express');
    const { paymentMiddleware, x402ResourceServer } = await import('@x402/express');
    const app = express();
    const server = new x402ResourceServer(facilitatorClient()).register(NETWORK, new ExactEvmScheme());
    app.use(paymentMiddleware({ 'GET /paid': route, 'GET /also': route }, server));
    const answer = async (_, response) => {
      const { status, body } = await handle();
      response.status(status).json(body);
    };
    app.get('/paid', answer);
    app.get('/also', answer);
    return app;
  },
  'express-v1': async () => {
    const { default: express } = await import('express');
    const { paymentMiddleware } = await import('x402-express');
    const app = express();
    app.use(
      paymentMiddleware(
        payTo,
        { 'GET /paid': { price, network: 'base-sepolia' } },
        { url: facilitator, createAuthHeaders },
      ),
    );
    app.get('/paid', async (_, response) => {
      const { status, body } = await handle();
      response.status(status).json(body);
    });
    return app;
  },
  hono: async () => {
    const { Hono } = await import('hono');
    const { paymentMiddleware, x402ResourceServer } = await import('@x402/hono');
    const app = new Hono();
    const server = new x402ResourceServer(facilitatorClient()).register(NETWORK, new ExactEvmScheme());
    app.use(paymentMiddleware({ 'GET /paid': route }, server));
    app.get('/paid', async (context) => {
      const { status, body } = await handle();
      return context.json(body, status);
    });
    return fromFetch((request) => app.fetch(request));
  },
  next: async () => {
    // The package imports `next/server`, which only a bundler or `require` resolves.
    const require = createRequire(import.meta.url);
    const { withX402, x402ResourceServer } = require('@x402/next');
    const { NextRequest, NextResponse } = require('next/server');
    const client = facilitatorClient(require('@x402/core/server').HTTPFacilitatorClient);
    const { ExactEvmScheme: Scheme } = require('@x402/evm/exact/server');
    const server = new x402ResourceServer(client).register(NETWORK, new Scheme());
    const handler = withX402(
      async () => {
        const { status, body } = await handle();
        return NextResponse.json(body, { status });
      },
      route,
      server,
    );
    return fromFetch((request) => handler(new NextRequest(request)));
  },
  mppx: async () => {
    const { Mppx } = await import('mppx/server');
    const { evm } = await import('mppx/evm/server');
    const charged = Mppx.create({
      methods: [
        evm.charge({
          currency: settings.asset,
          chainId: 84_532,
          decimals: 6,
          authorization: { name: 'USDC', version: '2' },
          recipient: payTo,
          x402: {
            facilitator,
            fetch: (input, init) => fetch(input, { ...init, headers: { ...init?.headers, ...authorization } }),
          },
        }),
      ],
      secretKey: 'x'.repeat(44),
      realm: '127.0.0.1',
    });
    return fromFetch(async (request) => {
      const paid = await charged.charge({ amount: '0.01' })(request);
      if (paid.status === 402) return paid.challenge;
      const { status, body } = await handle();
      return paid.withReceipt(Response.json(body, { status }));
    });
  },
};

/** A server of Node for a handler of the web's own requests. */
function fromFetch(answer) {
  return async (incoming, outgoing) => {
    try {
      const headers = Object.entries(incoming.headers).filter(([, value]) => typeof value === 'string');
      const url = `http://${incoming.headers.host}${incoming.url}`;
      const response = await answer(new Request(url, { method: incoming.method, headers }));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body) Readable.fromWeb(response.body).pipe(outgoing);
      else outgoing.end();
    } catch (problem) {
      console.error(problem);
      outgoing.writeHead(500).end(String(problem?.message ?? problem));
    }
  };
}

const server = createServer(await SELLERS[kind]()).listen(0, '127.0.0.1', () => {
  serveCommands(
    {
      set: (change) => Object.assign(state, change),
      seen: () => ({ runs: state.runs, calls: calls.splice(0) }),
      /** Calls the facilitator as the package does, beside it. */
      call: async ({ name, payload, requirements }) => {
        const client = new HTTPFacilitatorClient({ url: facilitator, createAuthHeaders });
        try {
          return await client[name](payload, requirements);
        } catch (problem) {
          return { thrown: String(problem?.message ?? problem), ...problem };
        }
      },
    },
    { url: `http://127.0.0.1:${server.address().port}` },
  );
});

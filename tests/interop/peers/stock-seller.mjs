// Stock sellers of version 2 and version 1 with the stock facilitator, in one process. The test says what the next paid
// answers suffer: `lose` closes the connection after the payment was settled, `fail` answers 500 instead, `ask` asks again.
import { x402Facilitator } from '@x402/core/facilitator';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';
import { createWalletClient, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { paymentMiddleware as paymentMiddlewareV1 } from 'x402-express';
import { serveCommands, settings } from './serve-commands.mjs';

const NETWORK = 'eip155:84532';
const { rpcUrl, privateKey, payTo } = settings;
const account = privateKeyToAccount(privateKey);
const client = createWalletClient({ account, chain: baseSepolia, transport: http(rpcUrl), pollingInterval: 50 });
const signer = toFacilitatorEvmSigner({ address: account.address, ...client.extend(publicActions) });
const facilitator = new x402Facilitator();
registerExactEvmScheme(facilitator, { signer, networks: NETWORK });

const app = express();
app.use(express.json());
app.get('/facilitator/supported', (_, response) => response.json(facilitator.getSupported()));
for (const step of ['verify', 'settle']) {
  app.post(`/facilitator/${step}`, async ({ body }, response) => {
    response.json(await facilitator[step](body.paymentPayload, body.paymentRequirements));
  });
}

const suffer = { kind: 'none', times: 0 };
const seen = { runs: 0, payments: [] };
app.use((request, response, next) => {
  const paid = request.headers['payment-signature'] ?? request.headers['x-payment'];
  if (paid === undefined) return next();
  seen.payments.push(paid);
  if (suffer.times === 0) return next();
  suffer.times -= 1;
  if (suffer.kind === 'ask') return response.status(402).json({});
  const end = response.end.bind(response);
  response.end = (...given) => {
    if (suffer.kind === 'lose') return request.socket.destroy();
    response.end = end;
    response.statusCode = 500;
    return end(...given);
  };
  next();
});

const listening = app.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${listening.address().port}`;
  const accepts = { scheme: 'exact', price: '$0.01', network: NETWORK, payTo };
  const dear = { ...accepts, price: '$0.50' };
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: `${url}/facilitator` }));
  server.register(NETWORK, new ExactEvmScheme());
  app.use(
    paymentMiddleware(
      { 'GET /weather': { accepts }, 'POST /report': { accepts }, 'GET /dear': { accepts: dear } },
      server,
    ),
  );
  app.use(
    paymentMiddlewareV1(
      payTo,
      { 'GET /v1': { price: '$0.01', network: 'base-sepolia' } },
      { url: `${url}/facilitator` },
    ),
  );
  for (const path of ['/weather', '/report', '/dear', '/v1']) {
    app.all(path, ({ body }, response) => {
      seen.runs += 1;
      response.json({ goods: path, asked: body ?? null });
    });
  }
  serveCommands(
    {
      suffer: ({ kind, times }) => Object.assign(suffer, { kind, times }),
      seen: () => {
        const { runs, payments } = seen;
        Object.assign(seen, { runs: 0, payments: [] });
        return { runs, payments };
      },
    },
    { url },
  );
});

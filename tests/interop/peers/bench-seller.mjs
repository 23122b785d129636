// A stock Express seller of one resource, as a process: prints its port when it listens. Its one argument is JSON:
// facilitatorUrl, secretKey (optional), payTo, asset, network, amount, maxTimeoutSeconds.
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';

const { facilitatorUrl, secretKey, payTo, asset, network, amount, maxTimeoutSeconds } = JSON.parse(process.argv[2]);
const headers = { authorization: `Bearer ${secretKey}` };
const facilitator = new HTTPFacilitatorClient({
  url: facilitatorUrl,
  ...(secretKey && { createAuthHeaders: async () => ({ supported: headers, verify: headers, settle: headers }) }),
});
const price = { asset, amount, extra: { name: 'USD Coin', version: '2' } };
const routes = {
  'GET /paid': { accepts: { scheme: 'exact', price, network, payTo, maxTimeoutSeconds }, description: 'one answer' },
};
const app = express();
app.disable('x-powered-by');
app.use(paymentMiddleware(routes, new x402ResourceServer(facilitator).register(network, new ExactEvmScheme())));
app.get('/paid', (_, response) => response.json({ goods: true }));
const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
server.keepAliveTimeout = 120_000;

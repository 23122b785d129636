// A stock Express seller of two resources for one price. Its handlers count how often they ran. `timeoutMs` is how long it
// waits for its facilitator.
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';
import { serveCommands, settings } from './serve-commands.mjs';

const { facilitatorUrl, secretKey, timeoutMs, network, payTo, asset, amount } = settings;
const headers = { authorization: `Bearer ${secretKey}` };
const facilitator = new HTTPFacilitatorClient({
  url: facilitatorUrl,
  ...(timeoutMs && { timeoutMs }),
  createAuthHeaders: async () => ({ supported: headers, verify: headers, settle: headers }),
});
const price = { asset, amount, extra: { name: 'USDC', version: '2', ...settings.extra } };
const accepts = { scheme: 'exact', price, network, payTo, maxTimeoutSeconds: 120 };
const runs = { '/a': 0, '/b': 0 };
const app = express();
const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());
app.use(
  paymentMiddleware({ 'GET /a': { accepts, description: 'a' }, 'GET /b': { accepts, description: 'b' } }, server),
);
for (const path of Object.keys(runs)) {
  app.get(path, (_, response) => {
    runs[path] += 1;
    response.json({ goods: path });
  });
}
const listening = app.listen(0, '127.0.0.1', () => {
  serveCommands({ runs: () => runs }, { url: `http://127.0.0.1:${listening.address().port}` });
});

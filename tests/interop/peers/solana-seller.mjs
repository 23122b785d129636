// A seller on Solana with the published Express middlewares, of version 2 and, at `/older`, of version 1. `handled` counts
// how often its handler ran.
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import express from 'express';
import { paymentMiddleware as paymentMiddlewareV1 } from 'x402-express';
import { serveCommands, settings } from './serve-commands.mjs';

const { facilitatorUrl, key, payTo, price, memo } = settings;
const network = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const headers = { authorization: `Bearer ${key}` };
const createAuthHeaders = async () => ({ verify: headers, settle: headers, supported: headers });
const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl, createAuthHeaders });
const server = new x402ResourceServer(facilitator).register(network, new ExactSvmScheme());
const accepts = { scheme: 'exact', price, network, payTo };
const app = express();
app.use(
  paymentMiddleware(
    { 'GET /weather': { accepts }, 'GET /order': { accepts: { ...accepts, extra: { memo } } } },
    server,
  ),
);
const sold = { 'GET /older': { price, network: 'solana-devnet' } };
app.use(paymentMiddlewareV1(payTo, sold, { url: facilitatorUrl, createAuthHeaders }));
let handled = 0;
const answer = (_request, response) => {
  handled += 1;
  response.json({ weather: 'dry' });
};
app.get('/weather', answer);
app.get('/order', answer);
app.get('/older', answer);
const listening = app.listen(0, '127.0.0.1', () => {
  serveCommands({ handled: () => handled }, { url: `http://127.0.0.1:${listening.address().port}` });
});

// Price feed with constant prices, for the tokens of the development world without a fixed price.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@svc-pay/core';

const USD_PER_TOKEN: Readonly<Record<string, string>> = { VOL: '2.50' };

export type PriceFeed = { readonly url: string; readonly stop: () => Promise<void> };

export async function startPriceFeed(clock: Clock): Promise<PriceFeed> {
  const server = createServer((request, response) => {
    const usd = USD_PER_TOKEN[(request.url ?? '').slice(1)];
    response.writeHead(usd === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(usd === undefined ? {} : { usd, observedAt: new Date(clock.nowMs()).toISOString() }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { createServer } from 'node:http';
import { type Attacker, itemAt } from '../attacker.ts';
import { CREATE, TOKEN } from '../hostile-payment.ts';

const ANSWER_MS = 5_000;

/** Merchants whose servers take five seconds for every event, and who make events. */
export const slowReceivers: Attacker<undefined> = {
  name: 'slow receivers',
  finding: 'E, 5',
  perSecond: 16,
  addresses: 4,
  prepare: async ({ slowReceiverPort }) => {
    const server = createServer((request, response) => {
      request.resume();
      setTimeout(() => response.writeHead(200).end(), ANSWER_MS).unref();
    });
    await new Promise<void>((resolve) => server.listen(slowReceiverPort, '127.0.0.1', resolve));
    server.unref();
    return undefined;
  },
  strike: async ({ ground, index, ask }) => {
    const { publishableKey: key } = itemAt(ground.ownShops, index);
    await ask({ path: CREATE, key, body: { usdAmount: ground.priceUsd, tokenShortcode: TOKEN } });
  },
};

// Merchants' servers that note when they hear of a completed payment: some answer at once, one takes its time.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowMs } from '../harness/clock.ts';

/** `flooded`: the server of a shop whose key floods the service with new intents; it takes a second for each event. */
export type Receiver = 'fast' | 'flooded';
export type Arrival = { readonly receiver: Receiver; readonly intentId: string; readonly atMs: number };

export type ToldMerchants = {
  readonly urlOf: (receiver: Receiver) => string;
  /** Of `payment.completed`, each counted when it first arrives. */
  readonly arrivals: () => readonly Arrival[];
  readonly stop: () => Promise<void>;
};

const ANSWER_MS = { fast: 0, flooded: 1_000 } as const satisfies Readonly<Record<Receiver, number>>;

type Told = { readonly type: string; readonly data: { readonly object: { readonly paymentIntentId?: string } } };

export async function startToldMerchants(): Promise<ToldMerchants> {
  const arrivals = new Map<string, Arrival>();
  const server = createServer((request, response) => {
    const atMs = nowMs();
    const receiver: Receiver = request.url === '/flooded' ? 'flooded' : 'fast';
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as Told;
      const intentId = data.object.paymentIntentId ?? '';
      if (type === 'payment.completed' && !arrivals.has(intentId)) arrivals.set(intentId, { receiver, intentId, atMs });
      setTimeout(() => response.writeHead(200).end(), ANSWER_MS[receiver]);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (receiver) => `http://127.0.0.1:${port}/${receiver}`,
    arrivals: () => [...arrivals.values()],
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

// A merchant's server that takes webhooks, answers as it is told to, and hands over what it heard in order.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyStandard } from '@svc-pay/webhooks/testing/verify-by-the-text';
import { onTestFinished } from 'vitest';

export type HeardDelivery = {
  readonly eventId: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly isSignedBy: (endpointSecret: string) => boolean;
};

const LONGEST_MS = 15_000;

export async function openReceiver() {
  let [status, text] = [200, 'thank you'];
  const heard: HeardDelivery[] = [];
  let taken = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { headers } = request;
      heard.push({
        eventId: String(headers['webhook-id']),
        headers,
        body: body.toString(),
        isSignedBy: (secret) => verifyStandard(headers, body, secret, Math.floor(Date.now() / 1_000)),
      });
      response.writeHead(status, { 'x-shop': 'tea' }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    answer: (nextStatus: number, nextText: string) => {
      [status, text] = [nextStatus, nextText];
    },
    /** The oldest delivery that was not handed over yet. */
    next: async (): Promise<HeardDelivery> => {
      const untilMs = Date.now() + LONGEST_MS;
      while (heard[taken] === undefined) {
        if (Date.now() > untilMs) throw new Error('no delivery came');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      taken += 1;
      return heard[taken - 1] as HeardDelivery;
    },
  };
}

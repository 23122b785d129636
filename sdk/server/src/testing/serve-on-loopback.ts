// A server of Node's own on a free port of this machine, closed when the test is done.
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export async function serveOnLoopback(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Without a declared length, so that the body comes in chunks; ends as soon as an answer has come. */
export function postInChunks(url: string, chunks: Iterable<Uint8Array>, headers: Record<string, string>) {
  return new Promise<{ status: number; sent: number }>((resolve, reject) => {
    let sent = 0;
    let answered = false;
    const outgoing = request(url, { method: 'POST', headers }, (response: IncomingMessage) => {
      answered = true;
      response.resume();
      response.on('close', () => {
        outgoing.destroy();
        resolve({ status: response.statusCode ?? 0, sent });
      });
    });
    outgoing.on('error', (error) => (answered ? undefined : reject(error)));
    const iterator = chunks[Symbol.iterator]();
    const next = () => {
      const { value, done } = iterator.next();
      if (answered || outgoing.destroyed) return;
      if (done === true) {
        outgoing.end();
      } else {
        sent += value.length;
        outgoing.write(value, () => setImmediate(next));
      }
    };
    next();
  });
}

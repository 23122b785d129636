// A merchant's server on loopback whose answers the test sets.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, onTestFinished } from 'vitest';

type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly path: string;
  readonly body: Buffer;
  readonly atMs: number;
};

export type Answer = (response: ServerResponse, request: IncomingMessage, count: number) => void;

export type Receiver = {
  readonly url: string;
  readonly port: number;
  readonly requests: Received[];
  /** Number of connections ever opened. */
  readonly connections: () => number;
  answer: Answer;
  readonly close: () => Promise<void>;
};

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(code, headers).end();
  };

export async function startReceiver(answer: Answer = status(200)): Promise<Receiver> {
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        path: request.url ?? '',
        body: Buffer.concat(chunks),
        atMs: performance.now(),
      });
      receiver.answer(response, request, requests.length);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hooks`,
    port,
    requests,
    connections: () => connections,
    answer,
    close,
  };
  afterwards(close);
  return receiver;
}

export function afterwards(cleanUp: () => Promise<void>): void {
  try {
    onTestFinished(cleanUp);
  } catch {
    // Called outside of a test.
    afterAll(cleanUp);
  }
}

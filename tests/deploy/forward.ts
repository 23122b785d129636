// Ways out of a machine that has a cable to this one and nothing else: to a port of this machine, and for apt.
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';

export type Forward = { readonly port: number; readonly close: () => void };

async function listening(server: Server, host: string): Promise<Forward> {
  server.listen(0, host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

function join(first: Duplex, second: Duplex): void {
  for (const [from, to] of [
    [first, second],
    [second, first],
  ] as const)
    from.pipe(to).on('error', () => from.destroy());
}

/** Connections to the new port of `host` go to `port` of this machine's loopback. */
export const forwardTo = (host: string, port: number): Promise<Forward> =>
  listening(
    createServer((socket) => join(socket, connect(port, '127.0.0.1'))),
    host,
  );

/** A proxy for HTTP, as apt uses one. */
export async function startProxy(host: string): Promise<Forward> {
  const server = createHttpServer(fetchFor);
  server.on('connect', (asked: IncomingMessage, socket: Duplex) => {
    const { hostname, port } = new URL(`http://${asked.url}`);
    const target = connect(Number(port || 443), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      join(socket, target);
    });
    target.on('error', () => socket.destroy());
  });
  return listening(server, host);
}

function fetchFor(asked: IncomingMessage, answer: ServerResponse): void {
  const onward = request(asked.url ?? '', { method: asked.method, headers: asked.headers }, (found) => {
    answer.writeHead(found.statusCode ?? 502, found.headers);
    found.pipe(answer);
  });
  onward.on('error', () => answer.destroy());
  asked.pipe(onward);
}

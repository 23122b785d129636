// Closes a server with open client connections: running requests finish, all other connections are closed.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Sweep interval: a connection that was busy at close stays open for the client's next request until a sweep. */
const SWEEP_MS = 20;

/** Connections without any request yet. Browsers open them in advance, and Node counts them as busy. */
export function watchUnused(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return unused;
}

/** Lets running requests finish. After `timeoutMs` calls `onCutOff` and closes all connections. */
export async function closeWithin(
  app: FastifyInstance,
  unused: ReadonlySet<Socket>,
  timeoutMs: number,
  onCutOff: () => void,
): Promise<void> {
  const sweep = setInterval(() => {
    app.server.closeIdleConnections();
    for (const socket of unused) socket.destroy();
  }, SWEEP_MS);
  const cutOff = setTimeout(() => {
    onCutOff();
    app.server.closeAllConnections();
  }, timeoutMs);
  await app.close();
  clearInterval(sweep);
  clearTimeout(cutOff);
}

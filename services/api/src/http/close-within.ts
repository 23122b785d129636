// Closing a server that clients hold connections to: requests finish, everything else is let go.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A connection that was busy when the server closed stays open for the client's next request, unless it is swept away. */
const SWEEP_MS = 20;

/** Connections on which no request was begun. Browsers open them ahead of need, and Node counts them as busy. */
export function watchUnused(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return unused;
}

/** Lets open requests finish; what is not finished in time is cut off, and `onCutOff` is told. */
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

// Health, readiness and metrics of a service, for a listener that is not reachable from outside.
import type { FastifyInstance } from 'fastify';

export type Probes = {
  /** Names what keeps the service from being ready. A rejection counts as a database that does not answer. */
  readonly findObstacles: () => Promise<readonly string[]>;
  readonly metrics: () => Promise<string>;
};

export function addProbeRoutes(app: FastifyInstance, { findObstacles, metrics }: Probes): void {
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_, reply) => {
    const obstacles = await findObstacles().catch(() => ['the database does not answer']);
    return reply.code(obstacles.length === 0 ? 200 : 503).send({ ready: obstacles.length === 0, obstacles });
  });
  app.get('/metrics', async (_, reply) => reply.type('text/plain; version=0.0.4').send(await metrics()));
}

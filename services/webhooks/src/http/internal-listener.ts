// Health and readiness, on a listener that the public never reaches.
import { type FastifyInstance, fastify } from 'fastify';

export type InternalListenerParts = {
  /** Throws, or names what is missing. */
  readonly findObstacles: () => Promise<readonly string[]>;
  readonly metrics: () => Promise<string>;
};

export function createInternalListener({ findObstacles, metrics }: InternalListenerParts): FastifyInstance {
  const app = fastify({ logger: false });
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_, reply) => {
    const obstacles = await findObstacles().catch(() => ['the database does not answer']);
    return reply.code(obstacles.length === 0 ? 200 : 503).send({ ready: obstacles.length === 0, obstacles });
  });
  app.get('/metrics', async (_, reply) => reply.type('text/plain; version=0.0.4').send(await metrics()));
  return app;
}

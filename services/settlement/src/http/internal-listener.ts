// The internal HTTP of settlement, on a listener of its own that the public never reaches.

import type { Clock } from '@svc-pay/core';
import type { LaneReport, NetworkHealth } from '@svc-pay/postgres/lanes';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { createInternalKeyCheck } from './internal-key.ts';

export type InternalListenerParts = {
  readonly keys: readonly string[];
  readonly clock: Clock;
  readonly reportLanes: () => Promise<readonly LaneReport[]>;
  /** Which networks are offered, and why not. */
  readonly reportHealth: () => Promise<readonly NetworkHealth[]>;
  /** Throws, or names what is missing. */
  readonly findObstacles: () => Promise<readonly string[]>;
};

const BODY_LIMIT_BYTES = 16_384;

export function createInternalListener(parts: InternalListenerParts): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: () => newId('request', parts.clock.nowMs()),
  });
  const isInternalKey = createInternalKeyCheck(parts.keys);
  const refuse = (reply: FastifyReply, code: ErrorCode) => {
    const { status, message, retryable } = ERRORS[code];
    return reply.code(status).send({
      error: code,
      message,
      param: null,
      retryable,
      moneyMoved: 'no',
      requestId: reply.request.id,
      docUrl: '',
    });
  };

  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_, reply) => {
    const obstacles = await parts.findObstacles().catch(() => ['the database does not answer']);
    return reply.code(obstacles.length === 0 ? 200 : 503).send({ ready: obstacles.length === 0, obstacles });
  });
  app.register(async (keyed) => {
    keyed.addHook('onRequest', async (request, reply) => {
      if (!isInternalKey(request.headers.authorization)) {
        return refuse(reply, request.headers.authorization === undefined ? 'key_missing' : 'key_invalid');
      }
      return undefined;
    });
    keyed.get('/lanes', async () => ({
      lanes: await parts.reportLanes(),
      networks: await parts.reportHealth(),
    }));
  });
  app.setNotFoundHandler((_, reply) => refuse(reply, 'not_found'));
  app.setErrorHandler((_, __, reply) => refuse(reply, 'internal_error'));
  return app;
}

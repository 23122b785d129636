// The internal HTTP of settlement, on a listener of its own that the public never reaches.

import type { Clock } from '@svc-pay/core';
import type { BeganUpto, LaneReport, NetworkHealth, UptoSettlement } from '@svc-pay/postgres/lanes';
import { internalUptoSettleRequest } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { isId, newId } from '@svc-pay/protocol/ids';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { createInternalKeyCheck } from './internal-key.ts';

export type InternalListenerParts = {
  readonly keys: readonly string[];
  readonly clock: Clock;
  readonly reportLanes: () => Promise<readonly LaneReport[]>;
  readonly beginUpto: (settlement: UptoSettlement) => Promise<BeganUpto>;
  /** Which networks are offered, and why not. */
  readonly reportHealth: () => Promise<readonly NetworkHealth[]>;
  /** Throws, or names what is missing. */
  readonly findObstacles: () => Promise<readonly string[]>;
  readonly metrics: () => Promise<string>;
  readonly onProblem: (problem: unknown) => void;
};

const BODY_LIMIT_BYTES = 16_384;
/** Who asked the caller for it. Only whoever holds an internal key can say so. */
const ACTOR_HEADER = 'x-svc-actor';
const ACTOR = /^key:[a-z]+_[0-9a-z]{1,40}$/;

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
  app.get('/metrics', async (_, reply) => reply.type('text/plain; version=0.0.4').send(await parts.metrics()));
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
    keyed.post('/evm/settlement/x402-upto', async (request, reply) => {
      const read = internalUptoSettleRequest.safeParse(request.body);
      if (!read.success) return refuse(reply, 'malformed_request');
      const { paymentIntentId: intentId, settledAmount } = read.data;
      if (!isId('paymentIntent', intentId)) return refuse(reply, 'not_found');
      const actor = String(request.headers[ACTOR_HEADER]);
      const began = await parts.beginUpto({
        intentId,
        settledAtomic: BigInt(settledAmount),
        actor: ACTOR.test(actor) ? actor : 'service:internal',
      });
      if (began.ok) return { ok: true, paymentIntentId: intentId, paymentId: began.paymentId, settledAmount };
      return refuse(reply, began.code);
    });
  });
  app.setNotFoundHandler((_, reply) => refuse(reply, 'not_found'));
  app.setErrorHandler((problem: { readonly statusCode?: number }, _, reply) => {
    const malformed = problem.statusCode !== undefined && problem.statusCode < 500;
    if (!malformed) parts.onProblem(problem);
    return refuse(reply, malformed ? 'malformed_request' : 'internal_error');
  });
  return app;
}

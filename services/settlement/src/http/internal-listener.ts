// Internal HTTP API of settlement, on a separate listener that is not public.

import { type Clock, type NotifyTransfer, readBlockIndex } from '@svc-pay/core';
import type {
  AcceptedPayment,
  BeganUpto,
  LaneReport,
  NetworkHealth,
  PaymentToAccept,
  UptoSettlement,
} from '@svc-pay/postgres/settlement-service';
import {
  type InternalNotifyResponse,
  internalAcceptRequest,
  internalNotifyRequest,
  internalUptoSettleRequest,
} from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { isId, newId } from '@svc-pay/protocol/ids';
import { addProbeRoutes, type Probes } from '@svc-pay/runtime/http/probe-routes';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { createInternalKeyCheck } from './internal-key.ts';

export type SettlementListenerDeps = Probes & {
  readonly keys: readonly string[];
  readonly clock: Clock;
  readonly reportLanes: () => Promise<readonly LaneReport[]>;
  readonly beginUpto: (settlement: UptoSettlement) => Promise<BeganUpto>;
  readonly acceptPayment: (asked: PaymentToAccept) => Promise<AcceptedPayment>;
  readonly notifyTransfer: NotifyTransfer;
  /** Reports for each network whether it is offered and, if not, why. */
  readonly reportHealth: () => Promise<readonly NetworkHealth[]>;
  readonly onProblem: (problem: unknown, ids: object) => void;
};

const BODY_LIMIT_BYTES = 16_384;
/** Names the API key on whose behalf the caller asks. The key must belong to the account that the body names. */
const ACTOR_HEADER = 'x-svc-actor';
const ACTOR = /^key:([a-z]+_[0-9a-z]{1,40})$/;

function keyOf({ headers }: FastifyRequest): string | null {
  const [, keyId = null] = ACTOR.exec(String(headers[ACTOR_HEADER])) ?? [];
  return keyId;
}

export function createInternalListener(deps: SettlementListenerDeps): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: () => newId('request', deps.clock.nowMs()),
  });
  const isInternalKey = createInternalKeyCheck(deps.keys);
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

  addProbeRoutes(app, deps);
  app.register(async (keyed) => {
    keyed.addHook('onRequest', async (request, reply) => {
      if (!isInternalKey(request.headers.authorization)) {
        return refuse(reply, request.headers.authorization === undefined ? 'key_missing' : 'key_invalid');
      }
      return undefined;
    });
    keyed.get('/lanes', async () => ({
      lanes: await deps.reportLanes(),
      networks: await deps.reportHealth(),
    }));
    keyed.post('/evm/settlement/x402-upto', async (request, reply) => {
      const read = internalUptoSettleRequest.safeParse(request.body);
      if (!read.success) return refuse(reply, 'malformed_request');
      const { accountId, mode, paymentIntentId: intentId, settledAmount } = read.data;
      if (!isId('account', accountId) || !isId('paymentIntent', intentId)) return refuse(reply, 'not_found');
      const keyId = keyOf(request);
      const began = await deps.beginUpto({ accountId, mode, intentId, settledAtomic: BigInt(settledAmount), keyId });
      if (began.ok) return { ok: true, paymentIntentId: intentId, paymentId: began.paymentId, settledAmount };
      return refuse(reply, began.code);
    });
    keyed.post('/payments/accept', async (request, reply) => {
      const read = internalAcceptRequest.safeParse(request.body);
      if (!read.success) return refuse(reply, 'malformed_request');
      const { accountId, mode, paymentId } = read.data;
      if (!isId('account', accountId) || !isId('payment', paymentId)) return refuse(reply, 'not_found');
      const accepted = await deps.acceptPayment({ accountId, mode, paymentId, keyId: keyOf(request) });
      return accepted.ok ? { ok: true, paymentId } : refuse(reply, accepted.code);
    });
    keyed.post('/payments/notify', async (request, reply) => {
      const read = internalNotifyRequest.safeParse(request.body);
      const blockIndex = read.success ? readBlockIndex(read.data.blockIndex) : undefined;
      if (!read.success || blockIndex === undefined) return refuse(reply, 'malformed_request');
      const { accountId, mode, paymentIntentId: intentId, ledger } = read.data;
      if (!isId('account', accountId) || !isId('paymentIntent', intentId)) return refuse(reply, 'not_found');
      const notified = await deps.notifyTransfer({ accountId, mode, intentId, ledger, blockIndex });
      const refusal = notified.outcome === 'refused' ? notified.refusal : null;
      return { outcome: notified.outcome, refusal } satisfies InternalNotifyResponse;
    });
  });
  app.setNotFoundHandler((_, reply) => refuse(reply, 'not_found'));
  app.setErrorHandler((problem: { readonly statusCode?: number }, request, reply) => {
    const malformed = problem.statusCode !== undefined && problem.statusCode < 500;
    if (!malformed)
      deps.onProblem(problem, { requestId: request.id, method: request.method, route: request.routeOptions.url });
    return refuse(reply, malformed ? 'malformed_request' : 'internal_error');
  });
  return app;
}

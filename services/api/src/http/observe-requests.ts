// Writes one log line, one count and, with tracing on, one span per request.
import type { Span, Tracer } from '@opentelemetry/api';
import type { Caller } from '@svc-pay/core';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from '../observe/metrics.ts';
import { endRequestSpan, startRequestSpan } from '../observe/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once a key is accepted. */
    caller: Caller | undefined;
    /** Rate limit that this request exceeds, if any. */
    limitedBy: 'key' | 'address' | undefined;
    /** Set when tracing is on. */
    span: Span | undefined;
  }
}

const templateOf = (request: FastifyRequest) => request.routeOptions.url ?? 'unmatched';

export function observeRequests(app: FastifyInstance, metrics: Metrics, tracer: Tracer | undefined): void {
  app.decorateRequest('caller');
  app.decorateRequest('limitedBy');
  app.decorateRequest('span');
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    if (tracer !== undefined) {
      request.span = startRequestSpan(tracer, templateOf(request), request.method, request.headers['traceparent']);
    }
  });
  app.addHook('onResponse', async (request, reply) => {
    const [route, status, ms] = [templateOf(request), reply.statusCode, reply.elapsedTime];
    metrics.requestEnded(route, request.method, status, ms / 1_000);
    if (request.span !== undefined) endRequestSpan(request.span, status, request.id);
    logEvent(request.log, 'request_finished', {
      method: request.method,
      route,
      status,
      ms: Math.round(ms * 100) / 100,
      ...(request.caller && { accountId: request.caller.accountId, mode: request.caller.mode }),
    });
  });
}

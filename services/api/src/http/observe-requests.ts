// One log line, one count and, when traces are on, one span per request.
import type { Span, Tracer } from '@opentelemetry/api';
import type { Caller } from '@svc-pay/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from '../observe/metrics.ts';
import { endRequestSpan, startRequestSpan } from '../observe/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once a key was accepted. */
    caller: Caller | undefined;
    /** The limit that this request is over, if any. */
    limitedBy: 'key' | 'address' | undefined;
    /** Set when traces are on. */
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
    request.log.info(
      {
        method: request.method,
        route,
        status,
        ms: Math.round(ms * 100) / 100,
        ...(request.caller && { accountId: request.caller.accountId, mode: request.caller.mode }),
      },
      'request',
    );
  });
}

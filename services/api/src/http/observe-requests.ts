// Writes one log line, one count and, with tracing on, one span per request.
import type { Span, Tracer } from '@opentelemetry/api';
import type { Caller, StoredKey } from '@svc-pay/core';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from '../observe/metrics.ts';
import { endRequestSpan, startRequestSpan } from '../observe/tracing.ts';
import type { LimitedBy } from './admit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Text of the client's address. `ip` is empty once the connection is closed, so it is read when the request comes. */
    clientAddress: string;
    /** Set once a key is accepted. */
    caller: Caller | undefined;
    /** The key that the request shows, valid or not, once it is found. */
    foundKey: StoredKey | undefined;
    /** Quota that this request exceeds, if any. */
    limitedBy: LimitedBy | undefined;
    /** Set when tracing is on. */
    span: Span | undefined;
  }
}

const templateOf = (request: FastifyRequest) => request.routeOptions.url ?? 'unmatched';

export type Observers = {
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  /** Name of a client in log lines, which its address cannot be read from. */
  readonly hashOf: (address: string) => string;
};

const PROBES: ReadonlySet<string> = new Set(['/health', '/ready']);

export function observeRequests(app: FastifyInstance, { metrics, tracer, hashOf }: Observers): void {
  app.decorateRequest('caller');
  app.decorateRequest('foundKey');
  app.decorateRequest('shownSecret');
  app.decorateRequest('clientAddress', '');
  app.decorateRequest('limitedBy');
  app.decorateRequest('span');
  app.addHook('onRequest', async (request, reply) => {
    const { ip = '' } = request as { readonly ip?: string };
    request.clientAddress = ip;
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
    // A balancer asks every second or two.
    if (PROBES.has(route) && status === 200) return;
    logEvent(request.log, 'request_finished', {
      method: request.method,
      route,
      status,
      ms: Math.round(ms * 100) / 100,
      addressHash: hashOf(request.clientAddress),
      ...(request.foundKey && keyDetails(request.foundKey)),
    });
  });
}

const keyDetails = ({ accountId, mode, keyId }: StoredKey) => ({ accountId, mode, keyId });

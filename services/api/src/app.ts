// Builds the public API as one Fastify app from the route table and its ports. Independent of Postgres and of the
// environment, so that a test starts the same app.
import type { Tracer } from '@opentelemetry/api';
import type { Caller, QuotaLimits, QuotaStore } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type { Logger } from '@svc-pay/runtime/logging';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import { type FastifyInstance, fastify, LogController } from 'fastify';
import type { Traces } from './abuse/traces.ts';
import { serveAssets } from './checkout/assets.ts';
import { createAdmit } from './http/admit.ts';
import { createAdmitSecret } from './http/admit-secret.ts';
import { createAllowedMethods } from './http/allowed-methods.ts';
import { answerBrokenRequest } from './http/broken-request.ts';
import { createCors } from './http/cors.ts';
import { errorCodeOf } from './http/error-code-of.ts';
import { readBodiesAsJson } from './http/json-parser.ts';
import { observeRequests } from './http/observe-requests.ts';
import { queueRequests } from './http/queue-requests.ts';
import { createRefuse } from './http/refuse.ts';
import { serveRoute } from './http/serve-route.ts';
import { trustProxies } from './http/trust-proxies.ts';
import { createUnknownRoute, methodSentence } from './http/way-out.ts';
import { createQuotaRounds, type QuotaRounds } from './limit/quota-rounds.ts';
import { createRateLimiter } from './limit/rate-limit.ts';
import { createRequestQueue } from './limit/request-queue.ts';
import { createMetrics, type DenyListStats, type Metrics, type PoolStats } from './observe/metrics.ts';
import { serveReferenceFiles } from './openapi/reference-assets.ts';
import type { ApiPorts } from './ports.ts';
import { isKeyed } from './routes/route.ts';
import { ROUTES } from './routes/route-table.ts';
import { createIntentStreams, type StreamOptions } from './stream/intent-streams.ts';
import { createStreamSlots, type StreamLimits } from './stream/stream-slots.ts';

export type ApiOptions = {
  readonly ports: ApiPorts;
  readonly logger: Logger;
  /** Undefined switches rate limits off. */
  readonly limits:
    | {
        readonly quotas: QuotaLimits;
        readonly store: QuotaStore;
        /** A clock that nobody sets back: a process would lease nothing until it had caught up. */
        readonly nowMs: () => number;
      }
    | undefined;
  readonly streams: Omit<StreamOptions, 'onProblem' | 'slots'> & { readonly limits: StreamLimits };
  /** Number of settle requests that are waiting for a payment result. */
  readonly settleWaits: { readonly count: () => number; readonly begun: () => number };
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Proxies that a request passes, one behind another. */
  readonly trustedHops: number;
  /** Base URL of the error pages; the error code is appended as the fragment. */
  readonly docsUrl: string;
  readonly requestTimeoutMs: number;
  /** Longest time that a request may have to wait for those before it. */
  readonly queueMs: number;
  readonly poolStats: () => PoolStats;
  readonly traces: Traces;
  readonly denyList: DenyListStats;
  /** Called for every request with an accepted key. */
  readonly keyUsed?: (caller: Caller) => void;
  readonly tracer?: Tracer;
};

export type Api = {
  readonly app: FastifyInstance;
  readonly metrics: Metrics;
  /** Start before listening and stop after the last request. Undefined when rate limits are switched off. */
  readonly quotaRounds: QuotaRounds | undefined;
  /** Reports not ready and ends all streams. Requests are still answered. */
  readonly beginStop: () => void;
};

const BODY_LIMIT_BYTES = 64 * 1_024;
/** Interval at which Node checks for requests that take too long to arrive. */
const LATE_REQUEST_CHECK_MS = 5_000;

/** Paths of routes that take a signed header, or report on one that was submitted before. */
const HEADER_PATHS: ReadonlySet<string> = new Set(
  ROUTES.flatMap((route) => (isKeyed(route) && route.sparesClaimed === true ? [route.path] : [])),
);

/** Routes of another protocol, with its own shape of refusals. */
const REFUSAL_SHAPES = new Map(
  ROUTES.flatMap((route) =>
    isKeyed(route) && route.refusalShape !== undefined ? [[route.path, route.refusalShape] as const] : [],
  ),
);

/** Paths that browsers open; Fastify’s notation. */
const REFUSAL_PAGES = new Map(
  ROUTES.flatMap((route) =>
    route.access === 'client_secret' && route.refusalPage !== undefined
      ? [[route.path.replaceAll(/\{(\w+)\}/g, ':$1'), route.refusalPage] as const]
      : [],
  ),
);

export function createApi(options: ApiOptions): Api {
  const { ports, logger, docsUrl, requestTimeoutMs } = options;
  let stopping = false;
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => newId('request', ports.clock.nowMs()),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: requestTimeoutMs,
    http: { connectionsCheckingInterval: Math.min(LATE_REQUEST_CHECK_MS, requestTimeoutMs) },
    // While stopping, requests on open connections are still answered normally.
    return503OnClosing: false,
    trustProxy: options.trustedProxies.length > 0 && trustProxies(options.trustedProxies, options.trustedHops),
    clientErrorHandler: answerBrokenRequest(ports.clock, docsUrl),
    frameworkErrors: (problem, request, reply) => {
      refuse(request, reply, { code: errorCodeOf(problem) });
    },
  }) as unknown as FastifyInstance;

  const refuse = createRefuse(docsUrl, HEADER_PATHS, REFUSAL_SHAPES, REFUSAL_PAGES);
  const { limits: streamLimits, ...pace } = options.streams;
  const slots = createStreamSlots(streamLimits);
  const streams = createIntentStreams(ports, {
    ...pace,
    slots,
    onProblem: (problem, intentId) => logEvent(logger, 'intent_stream_not_read', { intentId, err: problem }),
  });
  const quotaRounds =
    options.limits &&
    createQuotaRounds({
      store: options.limits.store,
      streams: slots,
      nowMs: options.limits.nowMs,
      onLate: (problem) => logEvent(logger, 'quota_leases_late', problem === undefined ? {} : { err: problem }),
      onTime: () => logEvent(logger, 'quota_leases_resumed'),
      onProblem: (problem) => logEvent(logger, 'quota_rows_not_deleted', { err: problem }),
    });
  const metrics = createMetrics({
    streams: streams.count,
    settleWaits: options.settleWaits.count,
    pool: options.poolStats,
    quotas: quotaRounds && { ...quotaRounds, late: quotaRounds.isLate },
    denyList: options.denyList,
  });
  const cors = createCors(options.corsOrigins);
  const openCors = createCors(['*']);
  const limiter = options.limits && quotaRounds && createRateLimiter(options.limits.quotas, quotaRounds);
  const admit = createAdmit({ ports, limiter, keyUsed: options.keyUsed });
  const admitSecret = createAdmitSecret({ ports, limiter });
  const world = { ports, streams, metrics, traces: options.traces, stopping: () => stopping };

  const queue = createRequestQueue({
    limitMs: options.queueMs,
    aside: options.settleWaits,
    nowMs: () => performance.now(),
  });
  observeRequests(app, { metrics, tracer: options.tracer, hashOf: ports.denials.hashOf });
  queueRequests(app);
  readBodiesAsJson(app);
  for (const route of ROUTES) {
    serveRoute(app, route, { world, admit, admitSecret, limiter, cors, openCors, refuse, queue });
  }
  const forPages = ROUTES.filter(({ access }) => access === 'publishable' || access === 'client_secret');
  for (const [path, routes] of Map.groupBy(forPages, (route) => route.path)) {
    const methods = [...routes.map(({ method }) => method), 'OPTIONS'].join(', ');
    const isOpen = routes.some((route) => route.access === 'client_secret' && route.forWallets === true);
    app.options(path.replaceAll(/\{(\w+)\}/g, ':$1'), (request, reply) =>
      (isOpen ? openCors : cors).preflight(request, reply, methods),
    );
  }

  serveAssets(app, (request, reply) => refuse(request, reply, { code: 'not_found' }));
  serveReferenceFiles(app, (request, reply) => refuse(request, reply, { code: 'not_found' }));

  const allowedMethods = createAllowedMethods(ROUTES);
  const unknownRoute = createUnknownRoute(ROUTES);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = allowedMethods(path);
    if (methods.length === 0)
      return refuse(request, reply, { code: 'route_unknown', message: unknownRoute(request.method, path) });
    const message = methodSentence(request.method, methods);
    return refuse(request, reply.header('allow', methods.join(', ')), { code: 'method_not_allowed', message });
  });
  app.setErrorHandler((problem, request, reply) => {
    const code = errorCodeOf(problem);
    if (code === 'internal_error') logEvent(request.log, 'request_failed', { err: problem });
    else if (code === 'service_unavailable') logEvent(request.log, 'request_unavailable', { err: problem });
    return refuse(request, reply, { code });
  });

  return {
    app,
    metrics,
    quotaRounds,
    beginStop() {
      stopping = true;
      streams.endAll();
    },
  };
}

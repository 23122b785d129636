// The public API as one Fastify app, made from the route table and its ports. Nothing here knows Postgres or the
// environment, so a test starts the same app.
import type { Tracer } from '@opentelemetry/api';
import type { Logger } from '@svc-pay/observe';
import { newId } from '@svc-pay/protocol/ids';
import { type FastifyInstance, fastify, LogController } from 'fastify';
import { createAdmit } from './http/admit.ts';
import { createAllowedMethods } from './http/allowed-methods.ts';
import { answerBrokenRequest } from './http/broken-request.ts';
import { createCors } from './http/cors.ts';
import { errorCodeOf } from './http/error-code-of.ts';
import { readBodiesAsJson } from './http/json-parser.ts';
import { observeRequests } from './http/observe-requests.ts';
import { createRefuse } from './http/refuse.ts';
import { serveRoute } from './http/serve-route.ts';
import { createRateLimiter, type RateLimits } from './limit/rate-limit.ts';
import { createMetrics, type Metrics, type PoolStats } from './observe/metrics.ts';
import type { ApiPorts } from './ports.ts';
import { ROUTES } from './routes/route-table.ts';
import { createIntentStreams, type StreamOptions } from './stream/intent-streams.ts';

export type ApiOptions = {
  readonly ports: ApiPorts;
  readonly logger: Logger;
  /** Undefined switches limits off. */
  readonly limits: RateLimits | undefined;
  readonly streams: Omit<StreamOptions, 'onProblem'>;
  /** Settle requests that wait now. */
  readonly settleWaits: () => number;
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Where errors are explained; the code is appended as the fragment. */
  readonly docsUrl: string;
  readonly requestTimeoutMs: number;
  readonly poolStats: () => PoolStats;
  readonly tracer?: Tracer;
};

export type Api = {
  readonly app: FastifyInstance;
  readonly metrics: Metrics;
  /** From now on not ready, and without streams. Requests are still answered. */
  readonly beginStop: () => void;
};

const BODY_LIMIT_BYTES = 64 * 1_024;
/** How often Node looks for requests that take too long to arrive. */
const LATE_REQUEST_CHECK_MS = 5_000;

/** Of routes that take a signed header, or ask about one that was taken. */
const HEADER_PATHS: ReadonlySet<string> = new Set(
  ROUTES.flatMap((route) => (route.access !== 'open' && route.sparesClaimed === true ? [route.path] : [])),
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
    // While stopping, what still arrives on an open connection is answered as ever.
    return503OnClosing: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    clientErrorHandler: answerBrokenRequest(ports.clock, docsUrl),
    frameworkErrors: (problem, request, reply) => {
      refuse(request, reply, { code: errorCodeOf(problem) });
    },
  }) as unknown as FastifyInstance;

  const refuse = createRefuse(docsUrl, HEADER_PATHS);
  const streams = createIntentStreams(ports, {
    ...options.streams,
    onProblem: (problem) => logger.warn({ err: problem }, 'a stream could not look'),
  });
  const metrics = createMetrics({ streams: streams.count, settleWaits: options.settleWaits, pool: options.poolStats });
  const cors = createCors(options.corsOrigins);
  const limiter = options.limits && createRateLimiter(options.limits);
  const admit = createAdmit({ ports, limiter });
  const world = { ports, streams, metrics, stopping: () => stopping };

  observeRequests(app, metrics, options.tracer);
  readBodiesAsJson(app);
  for (const route of ROUTES) {
    serveRoute(app, route, { world, admit, cors, refuse });
    if (route.access !== 'publishable') continue;
    const methods = `${route.method}, OPTIONS`;
    app.options(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), (request, reply) =>
      cors.preflight(request, reply, methods),
    );
  }

  const allowedMethods = createAllowedMethods(ROUTES);
  app.setNotFoundHandler((request, reply) => {
    const methods = allowedMethods(request.url.split('?', 1)[0] ?? '');
    if (methods.length === 0) return refuse(request, reply, { code: 'not_found' });
    return refuse(request, reply.header('allow', methods.join(', ')), { code: 'method_not_allowed' });
  });
  app.setErrorHandler((problem, request, reply) => {
    const code = errorCodeOf(problem);
    if (code === 'internal_error') request.log.error({ err: problem }, 'unexpected');
    else if (code === 'service_unavailable') request.log.warn({ err: problem }, 'unavailable');
    return refuse(request, reply, { code });
  });

  return {
    app,
    metrics,
    beginStop() {
      stopping = true;
      streams.endAll();
    },
  };
}

// Serves the console: pages, its routes for people, and the relay. Origin, session, role and fresh check are judged here, before a
// handler runs.
import { judgeSession, sessionTokenHash } from '@svc-pay/core';
import { StandingLost } from '@svc-pay/postgres/console-service';
import { newId } from '@svc-pay/protocol/ids';
import { addressName } from '@svc-pay/runtime/http/address-name';
import type { Logger } from '@svc-pay/runtime/logging';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify';
import type { CountedAction } from './console-metrics.ts';
import { CONSOLE_ERRORS, type ConsoleErrorCode, ConsoleRefusal } from './http/console-errors.ts';
import type { ConsoleFiles } from './http/page-files.ts';
import { isFromConsole } from './http/same-origin.ts';
import { securityHeaders } from './http/security-headers.ts';
import { assertFresh, assertRole, createRelay, passBack, type RelayOptions } from './relay/relay.ts';
import { CONSOLE_ROUTES, type ConsoleRoute, type ConsoleRouteName } from './routes/console-routes.ts';
import type { ConsoleVisit, ConsoleWorld, PersonVisit, SignedIn } from './routes/context.ts';
import { createPeopleRoutes } from './routes/people-routes.ts';
import { createSessionRoutes } from './routes/session-routes.ts';

const BODY_LIMIT_BYTES = 64 * 1_024;
/** A body has 64 kB at most: whoever takes longer holds the connection on purpose. */
const REQUEST_WITHIN_MS = 30_000;
const ROOT = '/console/api';
/** Of one address, in a minute, on routes for people who are not signed in. */
const STRANGER = { size: 30, windowMs: 60_000 };
const NAMES = Object.keys(CONSOLE_ROUTES) as readonly ConsoleRouteName[];

export type ConsoleAppOptions = ConsoleWorld &
  RelayOptions & {
    readonly logger: Logger;
    readonly trustedProxies: readonly string[];
    readonly pageFiles: ConsoleFiles;
    /** Until a request has to be there with its whole body. */
    readonly requestWithinMs?: number | undefined;
  };

type Handler = (visit: ConsoleVisit, input: unknown) => Promise<object>;

export function createConsoleApp(options: ConsoleAppOptions): FastifyInstance {
  const { clock, origin, cookie, stores, logger, metrics, pageFiles, requestWithinMs = REQUEST_WITHIN_MS } = options;
  const secure = origin.startsWith('https:');
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => newId('request', clock.nowMs()),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: requestWithinMs,
    // Node takes the smaller of both limits for the head alone.
    http: { headersTimeout: requestWithinMs, connectionsCheckingInterval: requestWithinMs / 2 },
    trustProxy: [...options.trustedProxies],
  }) as unknown as FastifyInstance;
  const sessions = createSessionRoutes(options);
  const { begin: _, refusePasskey: __, ...sessionRoutes } = sessions;
  const handlers = { ...sessionRoutes, ...createPeopleRoutes(options, sessions) } as unknown as Readonly<
    Record<ConsoleRouteName, Handler>
  >;
  const relay = createRelay(options);

  // As text: what is relayed is passed on byte for byte.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));

  app.addHook('onSend', async (request, reply) => {
    const page = !request.url.startsWith(`${ROOT}/`);
    reply.headers({ ...securityHeaders(page ? 'page' : 'data', { secure }), 'x-request-id': request.id });
  });

  const visitOf = (request: FastifyRequest, reply: FastifyReply): ConsoleVisit => ({
    nowMs: clock.nowMs(),
    ip: request.ip,
    address: addressName(request.ip),
    userAgent: request.headers['user-agent'] ?? '',
    accountId: (request.params as { accountId?: string }).accountId ?? '',
    log: (event, details) => logEvent(request.log, event, details),
    setCookie: (text) => void reply.header('set-cookie', text),
    signedIn: undefined,
  });

  /** Undefined if nobody is signed in. A session that is over is ended for good, with its keys. */
  const openSession = async (visit: ConsoleVisit, request: FastifyRequest): Promise<SignedIn | undefined> => {
    const token = cookie.read(request.headers.cookie);
    if (token === undefined) return undefined;
    const hash = sessionTokenHash(token);
    const session = await stores.findSession(hash);
    if (session === undefined) return undefined;
    const { nowMs } = visit;
    const actor = `person:${session.personId}`;
    const judged = judgeSession(session, hash, nowMs);
    if (judged.alive) {
      if (judged.shown === 'next') await stores.promoteToken(session.id, hash, nowMs);
      else if (judged.seenIsDue) await stores.noteSessionSeen(session.id, nowMs);
      return { session, judged, token, actor };
    }
    if (judged.why !== 'ended') {
      const which = { sessionId: session.id };
      await stores.endSessions({ nowMs, actor }, { personId: session.personId, which, reason: judged.why });
    }
    if (judged.why === 'secret_reused') {
      metrics.tokenReused();
      visit.log('console_token_reused', { personId: session.personId, sessionId: session.id });
    }
    return undefined;
  };

  /** Throws unless somebody is signed in. */
  const personVisit = async (request: FastifyRequest, reply: FastifyReply): Promise<PersonVisit> => {
    const visit = visitOf(request, reply);
    const signedIn = await openSession(visit, request);
    if (signedIn !== undefined) {
      const { personId, id: sessionId } = signedIn.session;
      return { ...visit, signedIn, standing: { personId, sessionId } };
    }
    if (cookie.read(request.headers.cookie) === undefined) throw new ConsoleRefusal('session_missing');
    visit.setCookie(cookie.clear);
    throw new ConsoleRefusal('session_over');
  };

  const admit = async (
    { session, fresh, roles }: ConsoleRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ConsoleVisit | PersonVisit> => {
    if (session === 'none') {
      const visit = visitOf(request, reply);
      if (!(await stores.takeSignIn({ name: `address/${visit.address}`, ...STRANGER })))
        throw new ConsoleRefusal('rate_limited');
      return { ...visit, signedIn: await openSession(visit, request) };
    }
    const visit = await personVisit(request, reply);
    if (roles !== undefined) assertRole(visit, roles);
    if (fresh) assertFresh(visit);
    const account = roles && { id: visit.accountId, roles };
    return { ...visit, standing: { ...visit.standing, account } };
  };

  /** Before the body is read. */
  const assertOrigin = async (request: FastifyRequest) => {
    if (!isFromConsole(request.method, request.headers, origin)) throw new ConsoleRefusal('origin_refused');
  };
  const counted = (action: CountedAction) => async (_request: FastifyRequest, reply: FastifyReply) =>
    metrics.answered(action, reply.statusCode);

  for (const name of NAMES) {
    const route: ConsoleRoute = CONSOLE_ROUTES[name];
    app.route({
      method: route.method,
      url: `${ROOT}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      exposeHeadRoute: false,
      onRequest: assertOrigin,
      onResponse: counted(name),
      handler: async (request, reply) => {
        const visit = await admit(route, request, reply);
        const input = route.input.safeParse(route.method === 'GET' ? {} : jsonOf(request.body));
        if (!input.success) throw new ConsoleRefusal('malformed_request');
        const answer = await handlers[name](visit, input.data);
        return reply.header('cache-control', 'no-store').send(answer);
      },
    });
  }

  const relayed = (request: FastifyRequest, root: string) => ({
    method: request.method,
    target: request.url.slice(root.length),
    headers: request.headers,
    body: typeof request.body === 'string' ? request.body : undefined,
  });
  app.route({
    method: ['GET', 'POST', 'PATCH', 'DELETE'],
    url: `${ROOT}/accounts/:accountId/:mode/*`,
    exposeHeadRoute: false,
    onRequest: assertOrigin,
    onResponse: counted('api'),
    handler: async (request, reply) => {
      const visit = await personVisit(request, reply);
      const { accountId, mode } = request.params as { accountId: string; mode: string };
      const root = `${ROOT}/accounts/${accountId}/${mode}`;
      // Parameters are decoded: a path that was sent in another spelling names nothing.
      if (!request.url.startsWith(`${root}/`)) throw new ConsoleRefusal('not_found');
      return passBack(reply, await relay.toApi(visit, mode, relayed(request, root)));
    },
  });
  app.route({
    method: ['GET', 'POST'],
    url: `${ROOT}/admin/*`,
    exposeHeadRoute: false,
    onRequest: assertOrigin,
    onResponse: counted('admin'),
    handler: async (request, reply) => {
      const visit = await personVisit(request, reply);
      // Routes of the admin service begin with /admin.
      return passBack(reply, await relay.toAdmin(visit, relayed(request, ROOT)));
    },
  });

  app.route({
    method: 'GET',
    url: `${ROOT}/operator`,
    exposeHeadRoute: false,
    onRequest: assertOrigin,
    onResponse: counted('operator'),
    handler: async (request, reply) => {
      const visit = await personVisit(request, reply);
      return passBack(reply, await relay.toOperatorReport(visit, relayed(request, ROOT)));
    },
  });

  app.setNotFoundHandler({ preHandler: [] }, (request, reply) => {
    const pathname = request.url.split('?', 1)[0] ?? '/';
    const file = request.method === 'GET' && !pathname.startsWith(ROOT) ? pageFiles.find(pathname) : undefined;
    if (file === undefined) return refuse(request, reply, 'not_found');
    metrics.answered('page', 200);
    const packs = file.packed !== undefined && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    return reply
      .headers({
        'content-type': file.type,
        'cache-control': file.caching,
        vary: 'Accept-Encoding',
        ...(packs && { 'content-encoding': 'gzip' }),
      })
      .send(packs ? file.packed : file.plain);
  });
  app.setErrorHandler((problem, request, reply) => {
    if (problem instanceof ConsoleRefusal) {
      if (problem.code === 'upstream_unavailable')
        logEvent(request.log, 'console_relay_failed', { err: problem.cause });
      return refuse(request, reply, problem.code);
    }
    // The person lost the session or the role since the request was judged.
    if (problem instanceof StandingLost) return refuse(request, reply, problem.code);
    const { statusCode = 500 } = problem as { statusCode?: number };
    if (statusCode === 413) return refuse(request, reply, 'payload_too_large');
    if (statusCode === 415) return refuse(request, reply, 'unsupported_media_type');
    if (statusCode < 500) return refuse(request, reply, 'malformed_request');
    logEvent(request.log, 'request_failed', { err: problem });
    return refuse(request, reply, 'internal_error');
  });
  return app;
}

function jsonOf(body: unknown): unknown {
  try {
    return typeof body === 'string' && body !== '' ? JSON.parse(body) : {};
  } catch {
    throw new ConsoleRefusal('invalid_json');
  }
}

function refuse(request: FastifyRequest, reply: FastifyReply, code: ConsoleErrorCode): FastifyReply {
  const [status, message] = CONSOLE_ERRORS[code];
  if (status === 429) reply.header('retry-after', '60');
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send({ error: code, message, requestId: request.id });
}

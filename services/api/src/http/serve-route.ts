// Registers one route of the table with Fastify: admission before the body, then the handler, then the answer.

import type { ServerResponse } from 'node:http';
import { type Caller, looksLikeClientSecret } from '@svc-pay/core';
import { ERRORS } from '@svc-pay/protocol/errors';
import { addressNames } from '@svc-pay/runtime/http/address-name';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Traced } from '../abuse/traces.ts';
import { readClaim } from '../body/idempotency-claim.ts';
import { bearsPayment, paymentHeadersOf } from '../buyer/payment-headers.ts';
import { type RateLimiter, rateLimitHeaders } from '../limit/rate-limit.ts';
import type { RequestQueue } from '../limit/request-queue.ts';
import type { RouteOutcome } from '../routes/outcome.ts';
import { malformedQuery, refuseUnknownField } from '../routes/read-body.ts';
import {
  classOf,
  type KeyedRoute,
  type PayableRoute,
  type Route,
  refusesUnknownFields,
  type World,
} from '../routes/route.ts';
import { type Admit, bearerOf, type LimitedBy, showTightest } from './admit.ts';
import type { AdmitSecret } from './admit-secret.ts';
import type { Cors } from './cors.ts';
import { prefersPage } from './prefers-page.ts';
import { enterQueue, leaveQueue, QUEUE_HOOKS } from './queue-requests.ts';
import type { Refuse } from './refuse.ts';
import { keySentence } from './way-out.ts';

export type ServeOptions = {
  readonly world: World;
  readonly admit: Admit;
  readonly admitSecret: AdmitSecret;
  /** Undefined when rate limits are switched off. */
  readonly limiter: RateLimiter | undefined;
  readonly cors: Cors;
  /** Of routes that wallets ask from anywhere. */
  readonly openCors: Cors;
  readonly refuse: Refuse;
  readonly queue: RequestQueue;
};

const QUERY_CANCELED = '57014';
const BUSY = { code: 'service_unavailable' } as const;
const NO_BYTES = new Uint8Array();
const OPEN_STREAMS = { policy: 'streams', class: 'streams' };
/** No valid key, no right, too many. */
const COUNTED_REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);

export function serveRoute(app: FastifyInstance, route: Route, options: ServeOptions): void {
  const streams = Object.values(route.responses).some(({ contentType }) => contentType === 'text/event-stream');
  const shared = {
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: !streams,
  } satisfies Partial<RouteOptions>;
  if (route.access === 'open') {
    app.route({
      ...shared,
      handler: async (request, reply) => {
        const outcome = await route.handle(options.world, { accept: request.headers.accept });
        return send(request, reply, route, outcome, options);
      },
    });
    return;
  }
  if (route.access === 'client_secret') {
    servePayable(app, shared.url, route, options);
    return;
  }
  const served = (request: FastifyRequest) =>
    route.whenPaid !== undefined && bearsPayment(request.headers) ? route.whenPaid : route;
  app.route({
    ...shared,
    ...QUEUE_HOOKS(options.queue),
    onRequest: async (request, reply) => {
      if (route.access === 'publishable') options.cors.allow(request, reply);
      const own = served(request);
      if (!enterQueue(request, options.queue, own.sparesClaimed === true)) return refuse(request, reply, BUSY, options);
      const bearer = own.takesClientSecret === true ? bearerOf(request) : undefined;
      if (bearer !== undefined && looksLikeClientSecret(bearer)) {
        request.shownSecret = { text: bearer, within: showTightest(reply) };
        const refused = await options.admitSecret.toRoute(request, request.shownSecret, own);
        return refused && refuseSecret(request, reply, refused, options);
      }
      const admission = await options.admit(request, reply, own);
      request.limitedBy = admission.limitedBy;
      if (!admission.ok)
        return refuse(request, reply, { ...admission, message: keySentence(request, admission.code) }, options);
      request.caller = admission.caller;
      return undefined;
    },
    handler: async (request, reply) => {
      const own = served(request);
      if (request.shownSecret !== undefined) {
        const admission = await options.admitSecret.toIntent(request, request.shownSecret, own);
        if (!admission.ok) return refuseSecret(request, reply, admission, options);
        request.limitedBy = admission.limitedBy;
        request.caller = admission.caller;
      }
      return send(
        request,
        reply,
        own,
        (await limitStored(request, reply, own, options)) ?? (await call(request, own, options.world)),
        options,
      );
    },
  });
}

/** A payment header makes the request pay, so HEAD is not served: it would pay, and its answer would be lost. */
function servePayable(app: FastifyInstance, url: string, route: PayableRoute, options: ServeOptions): void {
  app.route({
    method: route.method,
    url,
    exposeHeadRoute: false,
    ...QUEUE_HOOKS(options.queue),
    onRequest: async (request, reply) => {
      (route.forWallets ? options.openCors : options.cors).allow(request, reply);
      if (!route.forWallets) {
        const vary = reply.getHeader('vary');
        reply.header('vary', vary === undefined ? 'Accept' : `${String(vary)}, Accept`);
      }
      const taken = enterQueue(request, options.queue, bearsPayment(request.headers));
      return taken ? undefined : refuse(request, reply, BUSY, options);
    },
    handler: async (request, reply) => {
      const admission = await options.admitSecret.toAddress(request, reply, route);
      if (!admission.ok) return refuseSecret(request, reply, admission, options);
      const { caller, intentId } = admission;
      request.limitedBy = admission.limitedBy;
      request.caller = caller;
      const { token } = request.query as { readonly token?: unknown };
      request.isWorkedOn = true;
      const outcome = await route.handle(options.world, {
        ...anyCall(request, caller, options.world),
        intentId,
        tokenShortcode: typeof token === 'string' ? token : undefined,
        body: request.body,
      });
      return send(request, reply, route, outcome, options);
    },
  });
}

function refuseSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Parameters<Refuse>[2] & { readonly limitedBy?: LimitedBy },
  options: ServeOptions,
): FastifyReply {
  request.limitedBy = refusal.limitedBy;
  return refuse(request, reply, refusal, options);
}

function anyCall(request: FastifyRequest, caller: Caller, { ports }: World) {
  return {
    caller,
    traced: tracedOf(request),
    limited: request.limitedBy !== undefined || request.isSpared,
    payments: paymentHeadersOf(request.headers),
    wantsPage: prefersPage(request.headers.accept),
    baseUrl: () => ports.facilitatorUrl ?? `${request.protocol}://${request.host}`,
  };
}

/** Counts the body of a request that creates or changes something. What a payer signs is not counted. */
async function limitStored(
  request: FastifyRequest,
  reply: FastifyReply,
  route: KeyedRoute,
  { limiter }: ServeOptions,
): Promise<RouteOutcome | undefined> {
  const { caller, rawBody } = request;
  const of = classOf(route);
  const isStored = of === 'creates' || of === 'writes';
  if (!isStored || limiter === undefined || caller === undefined || !rawBody?.length) return undefined;
  const verdict = await limiter.byStoredBytes(caller, addressNames(request.clientAddress), rawBody.length);
  if (verdict.allowed) return undefined;
  request.limitedBy = verdict;
  reply.headers(rateLimitHeaders(verdict));
  return { ok: false, code: 'rate_limited', param: null };
}

async function call(request: FastifyRequest, route: KeyedRoute, world: World): Promise<RouteOutcome> {
  const { caller, headers } = request;
  if (caller === undefined) throw new Error(`${route.method} ${route.path} was reached without a caller`);
  const path = request.url.split('?', 1)[0] ?? '';
  const read =
    route.method === 'POST'
      ? readClaim(caller.kind, headers['idempotency-key'], request.method, path, request.rawBody ?? NO_BYTES)
      : ({ ok: true, claim: null } as const);
  if (!read.ok) return { ok: false, code: read.code, param: 'Idempotency-Key' };
  const query = route.query?.safeParse(request.query);
  if (route.query !== undefined && query?.success === false)
    return malformedQuery(query.error, request.query, route.query);
  const unknown = refusesUnknownFields(route) && route.body && refuseUnknownField(route.body.schema, request.body);
  if (unknown) return unknown;
  const lastEventId = headers['last-event-id'];
  request.isWorkedOn = true;
  const handled = route.handle(world, {
    ...anyCall(request, caller, world),
    address: addressNames(request.clientAddress).address,
    requestId: request.id,
    params: request.params as Readonly<Record<string, string>>,
    query: (query?.data ?? {}) as Readonly<Record<string, string | undefined>>,
    body: request.body,
    claim: read.claim,
    lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
  });
  return read.claim === null ? handled : handled.catch(whenKeyIsHeld);
}

/**
 * A repeated request waits in its statement for the commit of the first one with its key, until the statement times
 * out.
 */
function whenKeyIsHeld(problem: unknown): RouteOutcome {
  const { code } = (problem ?? {}) as { code?: unknown };
  if (code !== QUERY_CANCELED) throw problem;
  return { ok: false, code: 'idempotency_in_progress', param: 'Idempotency-Key' };
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  given: Parameters<Refuse>[2],
  { world, refuse: write }: ServeOptions,
): FastifyReply {
  // Over no quota of its own: the process has too much to do.
  const isBusy = given.code === 'rate_limited' && request.isSpared && request.limitedBy === undefined;
  const refusal = isBusy ? { ...given, ...BUSY } : given;
  if (refusal.code === 'rate_limited') {
    // The route looked whether it spares the caller, and no more.
    request.isWorkedOn = false;
    world.metrics.requestLimited(request.limitedBy ?? OPEN_STREAMS);
  }
  if (COUNTED_REFUSALS.has(ERRORS[refusal.code].status)) world.traces.refused(tracedOf(request));
  return write(request, reply, refusal);
}

/** A client secret is no key: what it does counts for the account that created its intent. */
const tracedOf = ({ clientAddress, foundKey, caller }: FastifyRequest): Traced => ({
  address: clientAddress,
  caller: foundKey ?? (caller && { accountId: caller.accountId, mode: caller.mode, kind: caller.kind }),
});

/** A stream lives for minutes: it also ends when its address or its key is denied, or its key has ended. */
function holdStream(request: FastifyRequest, raw: ServerResponse, { ports, traces }: World): void {
  const { caller, clientAddress: address } = request;
  if (caller === undefined) return;
  traces.streamOpened(tracedOf(request));
  const release = ports.denials.hold({ address, key: caller, end: () => raw.destroy() });
  raw.once('close', release);
}

function watchAnswer(raw: ServerResponse, answered: (arrived: boolean) => void): void {
  // The client may have left while the handler waited; then neither event comes any more.
  if (raw.destroyed || raw.socket?.destroyed === true) return answered(false);
  let told = false;
  const tell = (arrived: boolean) => {
    if (!told) answered(arrived);
    told = true;
  };
  raw.once('finish', () => tell(true));
  raw.once('close', () => tell(false));
  return undefined;
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  outcome: RouteOutcome,
  options: ServeOptions,
): FastifyReply {
  if (!outcome.ok) {
    if (outcome.headers !== undefined) reply.headers(outcome.headers);
    return refuse(request, reply, outcome, options);
  }
  // A request that is over its limit but was spared does not need to wait.
  if (request.limitedBy !== undefined) reply.removeHeader('retry-after');
  if ('stream' in outcome) {
    reply.hijack();
    leaveQueue(request, true);
    const { raw } = reply;
    holdStream(request, raw, options.world);
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Otherwise a buffering proxy would hold back the stream forever.
      'x-accel-buffering': 'no',
    });
    outcome.stream(raw);
    return reply;
  }
  const { answer, replayed, answered, sendTimeoutMs } = outcome;
  if (answered !== undefined) watchAnswer(reply.raw, answered);
  if (sendTimeoutMs !== undefined) reply.raw.setTimeout(sendTimeoutMs, () => reply.raw.destroy());
  if (replayed) {
    reply.header('idempotent-replayed', 'true');
    options.world.metrics.answerReplayed(route.path);
  }
  reply.code(answer.status);
  if (answer.status === 204) return reply.send();
  return reply.headers({ 'content-type': 'application/json; charset=utf-8', ...answer.headers }).send(answer.body);
}

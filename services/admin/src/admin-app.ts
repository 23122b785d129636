// Serves the table of admin routes: operator's key, input, action, answer. Every action is audited under the id of the
// operator whose key was shown.
import { authenticateOperator, type Clock, type KeyIndexes, type Peppers, readScopes } from '@svc-pay/core';
import type { AdminStores } from '@svc-pay/postgres/admin-service';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import { ADMIN_ROUTES, type AdminRoute, type AdminRouteName, parametersIn } from '@svc-pay/runtime/http/admin-routes';
import type { Logger } from '@svc-pay/runtime/logging';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify';

export type AdminAppOptions = Pick<AdminStores, 'findOperator' | 'actionsOf'> & {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly peppers: Peppers;
  readonly onAnswered: (action: AdminRouteName, status: number) => void;
};

const BODY_LIMIT_BYTES = 16 * 1_024;
const NAMES = Object.keys(ADMIN_ROUTES) as readonly AdminRouteName[];
const NOT_FOUND = new Set(['account_unknown', 'key_unknown', 'payout_unknown']);

type Refused = { readonly ok: false; readonly code: string };
type Answer = { readonly ok: true } | Refused;
type Action = (input: unknown) => Promise<Answer>;

export function createAdminApp(options: AdminAppOptions): FastifyInstance {
  const { clock, logger, peppers, findOperator, actionsOf, onAnswered } = options;
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => newId('request', clock.nowMs()),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
  }) as unknown as FastifyInstance;

  for (const name of NAMES) {
    const { method, path, input }: AdminRoute = ADMIN_ROUTES[name];
    const operators = new WeakMap<FastifyRequest, string>();
    app.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      exposeHeadRoute: false,
      onResponse: async (_, { statusCode }) => onAnswered(name, statusCode),
      // Before the body is read.
      onRequest: async (request, reply) => {
        const nowMs = clock.nowMs();
        const ports = { peppers, findOperator: (indexes: KeyIndexes) => findOperator(indexes, nowMs) };
        const known = await authenticateOperator(ports, presentedKey(request));
        if (!known.ok) return refuse(request, reply, known.code);
        operators.set(request, known.actor);
        return undefined;
      },
      handler: async (request, reply) => {
        const actor = operators.get(request);
        if (actor === undefined) throw new Error(`${method} ${path} was reached without an operator`);
        const read = input.safeParse(givenTo(method, path, request));
        if (!read.success) return refuse(request, reply, 'malformed_request');
        const problem = scopeProblem(read.data);
        if (problem !== undefined) return refuse(request, reply, 'malformed_request', problem);
        const act = actionsOf(actor, clock.nowMs())[name] as unknown as Action;
        const answer = await act(plainInput(name, read.data));
        if (method === 'POST')
          logEvent(request.log, 'admin_action', { actor, action: name, target: targetOf(request), done: answer.ok });
        return send(request, reply, answer);
      },
    });
  }

  app.setNotFoundHandler((request, reply) => refuse(request, reply, 'not_found'));
  app.setErrorHandler((problem, request, reply) => {
    const { statusCode = 500 } = problem as { statusCode?: number };
    if (statusCode === 413) return refuse(request, reply, 'payload_too_large');
    if (statusCode === 415) return refuse(request, reply, 'unsupported_media_type');
    if (statusCode < 500) return refuse(request, reply, 'invalid_json');
    logEvent(request.log, 'request_failed', { err: problem });
    return refuse(request, reply, 'internal_error');
  });
  return app;
}

function presentedKey({ headers }: FastifyRequest): string | undefined {
  const { authorization } = headers;
  return authorization === undefined ? undefined : (/^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? 'no bearer');
}

/** Fields of the path win: the body can't name another account than the path. */
function givenTo(method: string, path: string, request: FastifyRequest): unknown {
  const rest: unknown = method === 'GET' ? request.query : (request.body ?? {});
  if (typeof rest !== 'object' || rest === null || Array.isArray(rest)) return undefined;
  if (parametersIn(path).some((name) => Object.hasOwn(rest, name))) return undefined;
  return { ...rest, ...(request.params as object) };
}

/** The schema knows the names of scopes; which kind of key may have which is a rule of core. */
function scopeProblem(input: unknown): string | undefined {
  const { kind, scopes } = input as { kind?: 'publishable' | 'secret'; scopes?: readonly string[] | null };
  if (kind === undefined || scopes === undefined || scopes === null) return undefined;
  const read = readScopes(kind, scopes);
  return read.ok ? undefined : 'scopes';
}

/** Texts of a query as the action takes them, scopes each once, and what may be left out. */
function plainInput(name: AdminRouteName, input: unknown): unknown {
  const given = input as Readonly<Record<string, unknown>>;
  if (name === 'listAccounts' && typeof given['limit'] === 'string')
    return { ...given, limit: Number.parseInt(given['limit'], 10) };
  if (name === 'closeAccount' || name === 'revokeKey') return { now: false, ...given };
  if (name !== 'createKey') return given;
  const { scopes } = given as { scopes?: readonly string[] | null };
  return { ...given, scopes: scopes ? [...new Set(scopes)] : null };
}

function targetOf({ params }: FastifyRequest): string | undefined {
  const { accountId, keyId } = params as { accountId?: string; keyId?: string };
  return keyId ?? accountId;
}

function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  reply.header('x-request-id', request.id).header('cache-control', 'no-store');
  if (!answer.ok) {
    const { ok: _, code, ...rest } = answer;
    const status = NOT_FOUND.has(code) ? 404 : 409;
    return reply.code(status).send({ error: code, requestId: request.id, ...rest });
  }
  const { ok: _, ...rest } = answer;
  return reply.code(200).send(rest);
}

function refuse(request: FastifyRequest, reply: FastifyReply, code: ErrorCode, param?: string): FastifyReply {
  const { status, message } = ERRORS[code];
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  const body = { error: code, message, param: param ?? null, requestId: request.id };
  return reply.code(status).header('x-request-id', request.id).header('cache-control', 'no-store').send(body);
}

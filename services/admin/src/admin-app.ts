// Serves the table of admin routes: key of an operator or session of a person, input, action, answer. Every action is audited under
// the id of the operator or the person.
import { operatorReportOf, readScopes } from '@svc-pay/core';
import { type AdminStores, type Standing, StandingLost } from '@svc-pay/postgres/admin-service';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import { ADMIN_ROUTES, type AdminRoute, type AdminRouteName, parametersIn } from '@svc-pay/runtime/http/admin-routes';
import {
  OPERATOR_PATH,
  PERSON_ACTIONS,
  SESSION_KEY_PATH,
  sessionKeyRequest,
} from '@svc-pay/runtime/http/person-actions';
import type { Logger } from '@svc-pay/runtime/logging';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify';
import {
  type AdminCaller,
  type CallerPorts,
  findCaller,
  judgeCall,
  type PersonCaller,
  roleIn,
  standingOf,
} from './caller.ts';
import { makeKeyOfSession } from './session-key-route.ts';

/** As metrics and logs name it. */
export type AnsweredAction = AdminRouteName | 'makeSessionKey' | 'getOperatorReport';

export type AdminAppOptions = CallerPorts &
  Pick<AdminStores, 'actionsOf' | 'findKeyOwner' | 'makeSessionKey' | 'loadOperatorFacts'> & {
    readonly logger: Logger;
    readonly onAnswered: (action: AnsweredAction, status: number) => void;
  };

const BODY_LIMIT_BYTES = 16 * 1_024;
const NAMES = Object.keys(ADMIN_ROUTES) as readonly AdminRouteName[];
const STATUSES: Readonly<Record<string, number>> = {
  account_unknown: 404,
  key_unknown: 404,
  payout_unknown: 404,
  operators_only: 403,
  role_missing: 403,
  check_needed: 403,
  operator_view_missing: 403,
  session_over: 401,
};

type Refused = { readonly ok: false; readonly code: string };
type Answer = { readonly ok: true } | Refused;
type Action = (input: unknown) => Promise<Answer>;

export function createAdminApp(options: AdminAppOptions): FastifyInstance {
  const { clock, logger, actionsOf, onAnswered } = options;
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => newId('request', clock.nowMs()),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
  }) as unknown as FastifyInstance;

  const callers = new WeakMap<FastifyRequest, AdminCaller>();
  for (const name of NAMES) {
    const { method, path, input }: AdminRoute = ADMIN_ROUTES[name];
    app.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      exposeHeadRoute: false,
      onResponse: async (_, { statusCode }) => onAnswered(name, statusCode),
      // Before the body is read.
      onRequest: async (request, reply) => {
        const known = await findCaller(options, request);
        if (!known.ok) return refuse(request, reply, known.code);
        callers.set(request, known.caller);
        return undefined;
      },
      handler: async (request, reply) => {
        const caller = callers.get(request);
        if (caller === undefined) throw new Error(`${method} ${path} was reached without a caller`);
        const read = input.safeParse(givenTo(method, path, request));
        if (!read.success) return refuse(request, reply, 'malformed_request');
        const problem = scopeProblem(read.data);
        if (problem !== undefined) return refuse(request, reply, 'malformed_request', problem);
        const judged = await judgeCaller(options, caller, name, read.data);
        if (!judged.ok) return send(request, reply, judged);
        const { actor } = caller;
        const act = actionsOf({ actor, nowMs: clock.nowMs(), standing: judged.standing })[name] as unknown as Action;
        const answer = await act(plainInput(name, read.data)).catch(refusalOf);
        if (method === 'POST')
          logEvent(request.log, 'admin_action', { actor, action: name, target: targetOf(request), done: answer.ok });
        return send(request, reply, answer);
      },
    });
  }

  const admitPerson = async (request: FastifyRequest, reply: FastifyReply) => {
    const known = await findCaller(options, request);
    // An operator has no session.
    if (!known.ok || known.caller.kind !== 'person')
      return refuse(request, reply, known.ok ? 'key_invalid' : known.code);
    callers.set(request, known.caller);
    return undefined;
  };
  const personOf = (request: FastifyRequest): PersonCaller => {
    const caller = callers.get(request);
    if (caller?.kind !== 'person') throw new Error(`${request.url} was reached without a person`);
    return caller;
  };

  app.route({
    method: 'GET',
    url: OPERATOR_PATH,
    exposeHeadRoute: false,
    onResponse: async (_, { statusCode }) => onAnswered('getOperatorReport', statusCode),
    onRequest: admitPerson,
    handler: async (request, reply) => {
      if (!personOf(request).session.operatorView)
        return send(request, reply, { ok: false, code: 'operator_view_missing' });
      const nowMs = clock.nowMs();
      return send(request, reply, { ok: true, ...operatorReportOf(await options.loadOperatorFacts(nowMs), nowMs) });
    },
  });

  app.route({
    method: 'POST',
    url: SESSION_KEY_PATH,
    onResponse: async (_, { statusCode }) => onAnswered('makeSessionKey', statusCode),
    onRequest: admitPerson,
    handler: async (request, reply) => {
      const caller = personOf(request);
      const read = sessionKeyRequest.safeParse(request.body);
      if (!read.success) return refuse(request, reply, 'malformed_request');
      const answer = await makeKeyOfSession({ ...options, pepper: options.peppers[0] }, caller, read.data);
      return send(request, reply, answer);
    },
  });

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

type JudgedCaller = { readonly ok: true; readonly standing?: Standing } | Refused;

/** An operator may do everything. What is not of an account of the person is unknown to the person. */
async function judgeCaller(
  { findKeyOwner, clock }: AdminAppOptions,
  caller: AdminCaller,
  name: AdminRouteName,
  input: unknown,
): Promise<JudgedCaller> {
  if (caller.kind === 'operator') return { ok: true };
  const rule = PERSON_ACTIONS[name];
  if (rule === undefined) return { ok: false, code: 'operators_only' };
  const { accountId, keyId } = input as { accountId?: string; keyId?: string };
  const owner = keyId === undefined ? accountId : (await findKeyOwner(keyId))?.accountId;
  const role = owner === undefined ? undefined : roleIn(caller, owner);
  if (owner === undefined || role === undefined)
    return { ok: false, code: keyId === undefined ? 'account_unknown' : 'key_unknown' };
  const verdict = judgeCall(caller, rule, role, clock.nowMs());
  return verdict === 'allowed'
    ? { ok: true, standing: standingOf(caller, owner, rule.roles) }
    : { ok: false, code: verdict };
}

/** The person lost the session or the role since the call was judged. */
function refusalOf(problem: unknown): Refused {
  if (problem instanceof StandingLost) return { ok: false, code: problem.code };
  throw problem;
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
    const status = STATUSES[code] ?? 409;
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

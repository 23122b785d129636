// Passes requests of people on to the API and the admin service, which judge them again. What comes back is data: it is never
// shown as a page of the console.
import { Readable } from 'node:stream';
import { MODES, type Mode, type PersonRole } from '@svc-pay/core';
import { EXPORT_CURSOR_HEADER, EXPORT_MORE_HEADER } from '@svc-pay/protocol/merchant';
import { ADMIN_ROUTES } from '@svc-pay/runtime/http/admin-routes';
import { OPERATOR_PATH } from '@svc-pay/runtime/http/person-actions';
import type { FastifyReply } from 'fastify';
import { ConsoleRefusal } from '../http/console-errors.ts';
import type { PersonVisit } from '../routes/context.ts';
import { API_OPERATIONS, createFinder, type RelayedOperation } from './api-operations.ts';
import { type AskService, createSessionKeys, sessionBearer } from './session-keys.ts';

/** Longer than any route but an export takes to begin its answer. */
const BEGIN_WITHIN_MS = 60_000;
const PASSED_ON = ['accept', 'content-type', 'idempotency-key'] as const;
const PASSED_BACK = [
  'content-type',
  'content-disposition',
  'retry-after',
  'x-request-id',
  'idempotency-replayed',
  'x-svc-pay-url',
  EXPORT_CURSOR_HEADER,
  EXPORT_MORE_HEADER,
] as const;
/** Anything else is answered as bytes. */
const DATA_TYPE = /^(?:application\/(?:json|x-ndjson|jsonl)|text\/(?:csv|plain))\b/;

export type RelayOptions = {
  readonly apiUrl: string;
  readonly adminUrl: string;
  /** Until the service behind has to begin its answer. */
  readonly relayWithinMs?: number | undefined;
};

export type RelayedRequest = {
  readonly method: string;
  /** Path and query as they were sent, from the first slash of the service behind. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string | undefined;
};

export function createRelay({ apiUrl, adminUrl, relayWithinMs = BEGIN_WITHIN_MS }: RelayOptions) {
  const findApi = createFinder<RelayedOperation>(API_OPERATIONS);
  const findAdmin = createFinder(ADMIN_ROUTES);
  const patient: AskService = (url, init) => begunWithin(relayWithinMs, url, init);
  const { callWithKey } = createSessionKeys(adminUrl, patient);

  const send = (url: string, { method, headers, body }: RelayedRequest, own: Readonly<Record<string, string>>) =>
    patient(url, {
      method,
      headers: {
        ...Object.fromEntries(
          PASSED_ON.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
        ),
        ...own,
      },
      ...(body !== undefined && { body }),
      redirect: 'manual',
    });

  return {
    /** Refuses what the person's role or last check does not allow, before anything is asked. */
    toApi: async (visit: PersonVisit, mode: string, request: RelayedRequest): Promise<Response> => {
      const found = findApi(request.method, pathOf(request.target));
      if (found === undefined || !isMode(mode)) throw new ConsoleRefusal('not_found');
      assertRole(visit, found.operation.roles);
      if (found.operation.fresh) assertFresh(visit);
      const level = found.operation.fresh ? 'fresh' : 'base';
      const { accountId } = visit;
      return callWithKey(visit.signedIn, { accountId, mode, level }, (key) =>
        // A charge must name the account.
        send(`${apiUrl}${request.target}`, request, {
          authorization: `Bearer ${key}`,
          'x-account-id': accountId,
          'x-forwarded-for': visit.ip,
        }),
      );
    },
    /** The admin service knows which of its routes are for which role. */
    toAdmin: async (visit: PersonVisit, request: RelayedRequest): Promise<Response> => {
      if (findAdmin(request.method, pathOf(request.target)) === undefined) throw new ConsoleRefusal('not_found');
      return send(`${adminUrl}${request.target}`, request, {
        authorization: sessionBearer(visit.signedIn),
        'x-forwarded-for': visit.ip,
      });
    },
    /** The report of the operator's page, which is of no account. */
    toOperatorReport: async (visit: PersonVisit, request: RelayedRequest): Promise<Response> => {
      if (!visit.signedIn.session.operatorView) throw new ConsoleRefusal('operator_view_missing');
      return send(`${adminUrl}${OPERATOR_PATH}`, request, {
        authorization: sessionBearer(visit.signedIn),
        'x-forwarded-for': visit.ip,
      });
    },
  };
}

/** A redirect is no data: it is answered without its target. */
export function passBack(reply: FastifyReply, answer: Response): FastifyReply {
  for (const name of PASSED_BACK) {
    const value = answer.headers.get(name);
    if (value !== null) reply.header(name, value);
  }
  if (!DATA_TYPE.test(answer.headers.get('content-type') ?? ''))
    reply.header('content-type', 'application/octet-stream');
  reply.header('cache-control', 'no-store').code(answer.status);
  return answer.body === null ? reply.send('') : reply.send(Readable.fromWeb(answer.body));
}

export function assertRole({ signedIn, accountId }: PersonVisit, roles: readonly PersonRole[]): void {
  const membership = signedIn.session.memberships.find((one) => one.accountId === accountId);
  // Whether an account exists is told to its members alone.
  if (membership === undefined) throw new ConsoleRefusal('account_unknown');
  if (!roles.includes(membership.role)) throw new ConsoleRefusal('role_missing');
}

export function assertFresh({ signedIn, nowMs }: PersonVisit): void {
  if (signedIn.judged.freshUntilMs <= nowMs) throw new ConsoleRefusal('check_needed');
}

/** Stops waiting for an answer that does not begin. One that has begun may take its time. */
async function begunWithin(ms: number, url: string, init: RequestInit): Promise<Response> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), ms);
  try {
    return await fetch(url, { ...init, signal: stop.signal });
  } catch (problem) {
    throw new ConsoleRefusal('upstream_unavailable', { cause: problem });
  } finally {
    clearTimeout(timer);
  }
}

const isMode = (text: string): text is Mode => (MODES as readonly string[]).includes(text);
const pathOf = (target: string): string => target.split('?', 1)[0] ?? '';

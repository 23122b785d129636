// The one way a refusal is written.
import type { MoneyMoved } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode, errorBodyOf } from '@svc-pay/protocol/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Refusal = { readonly code: ErrorCode; readonly param?: string | null; readonly moneyMoved?: MoneyMoved };

/** Thrown where Fastify leaves no other way out, such as a body parser. */
export class Refused extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

export type Refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => FastifyReply;

/** Said before anybody looked what became of the request's header, or when nobody could. */
const BLIND: ReadonlySet<ErrorCode> = new Set([
  'internal_error',
  'service_unavailable',
  'rate_limited',
  'request_timeout',
  'idempotency_in_progress',
]);

/** On `headerPaths` a signed header is sent that may have been taken before: what was not looked up is told as `unknown`. */
export function createRefuse(docsUrl: string, headerPaths: ReadonlySet<string>): Refuse {
  return (request, reply, { code, param, moneyMoved: known }) => {
    const moneyMoved =
      known ?? (BLIND.has(code) && headerPaths.has(request.routeOptions.url ?? '') ? 'unknown' : undefined);
    const body = errorBodyOf({
      code,
      requestId: request.id,
      docsUrl,
      ...(typeof param === 'string' && { param }),
      ...(moneyMoved !== undefined && { moneyMoved }),
    });
    const { status } = ERRORS[code];
    if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', '1');
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    return reply
      .code(status)
      .header('x-request-id', request.id)
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(body));
  };
}

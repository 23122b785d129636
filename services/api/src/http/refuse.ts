// The only function that writes a refusal.
import type { MoneyMoved } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode, errorBodyOf } from '@svc-pay/protocol/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearsPayment } from '../buyer/payment-headers.ts';
import { PAGE_HEADERS } from '../checkout/page-headers.ts';
import { prefersPage } from './prefers-page.ts';
import { sentenceByParam } from './way-out.ts';

type Refusal = {
  readonly code: ErrorCode;
  readonly param?: string | null;
  readonly message?: string | undefined;
  readonly moneyMoved?: MoneyMoved;
};

/** For callers that Fastify gives no other way to refuse, such as a body parser. */
export class Refused extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

export type Refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => FastifyReply;

/** Default, unless the limit sets its own. 429 is long because streams, which last minutes, free their slots slowly. */
const RETRY_AFTER_SECONDS: ReadonlyMap<number, string> = new Map([
  [429, '10'],
  [503, '1'],
]);

/** Codes that are answered without knowing what happened to the request's signed header. */
const BLIND: ReadonlySet<ErrorCode> = new Set([
  'internal_error',
  'service_unavailable',
  'rate_limited',
  'address_denied',
  'origin_not_allowed',
  'key_invalid',
  'account_moving',
  'account_moved',
  'client_secret_invalid',
  'client_secret_not_allowed',
  'key_scope_missing',
  'request_timeout',
  'idempotency_in_progress',
]);

/** Fields that a protocol asks for in a refusal, beside ours. */
export type RefusalShape = (code: ErrorCode) => object;

/** HTML of a refusal. */
export type RefusalPage = (code: ErrorCode, requestId: string) => string;

/**
 * On `headerPaths`, and in a payment header anywhere, the signed header may have been submitted before: if that was not
 * looked up, answers `unknown`. Paths in `shapes` add the fields of their own answers, so that every answer of theirs has
 * its shape. On `pages` a browser is answered with HTML, unless it bears a payment.
 */
export function createRefuse(
  docsUrl: string,
  headerPaths: ReadonlySet<string>,
  shapes: ReadonlyMap<string, RefusalShape> = new Map(),
  pages: ReadonlyMap<string, RefusalPage> = new Map(),
): Refuse {
  return (request, reply, { code, param, message: told, moneyMoved: known }) => {
    const shape = shapes.get(request.routeOptions.url ?? '');
    const submits = headerPaths.has(request.routeOptions.url ?? '') || bearsPayment(request.headers);
    const moneyMoved = known ?? (BLIND.has(code) && submits ? 'unknown' : undefined);
    const message = told ?? sentenceByParam(code, param);
    const body = errorBodyOf({
      code,
      requestId: request.id,
      docsUrl,
      ...(message !== undefined && { message }),
      ...(typeof param === 'string' && { param }),
      ...(moneyMoved !== undefined && { moneyMoved }),
    });
    const { status } = ERRORS[code];
    const retryAfter = RETRY_AFTER_SECONDS.get(status);
    if (retryAfter !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', retryAfter);
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    reply.code(status).header('x-request-id', request.id).header('cache-control', 'no-store');
    const page = pages.get(request.routeOptions.url ?? '');
    if (page !== undefined && prefersPage(request.headers.accept) && !bearsPayment(request.headers))
      return reply.headers(PAGE_HEADERS).send(page(code, request.id));
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ ...body, ...shape?.(code) }));
  };
}

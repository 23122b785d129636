// Lets browsers call the publishable routes from the configured origins. Secret keys do not belong in a page.
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Includes `Date`: a payer with a wrong clock dates a signature by the server's time. */
const READABLE =
  'X-Request-Id, Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Date, Location, ' +
  'PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, X-SVC-Pay-Url';
/** Includes `Access-Control-Expose-Headers`: published x402 clients send it with a payment, as a request header. */
const SENDABLE =
  'Authorization, Content-Type, Idempotency-Key, X-Account-Id, Last-Event-ID, Traceparent, PAYMENT-SIGNATURE, X-PAYMENT, ' +
  'Access-Control-Expose-Headers';
const REMEMBER_SECONDS = '86400';

export type Cors = {
  readonly allow: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly preflight: (request: FastifyRequest, reply: FastifyReply, methods: string) => FastifyReply;
};

export function createCors(origins: readonly string[]): Cors {
  const anyOrigin = origins.includes('*');
  const allow = (request: FastifyRequest, reply: FastifyReply): void => {
    const { origin } = request.headers;
    if (!anyOrigin) reply.header('vary', 'Origin');
    if (anyOrigin) reply.header('access-control-allow-origin', '*');
    else if (origin !== undefined && origins.includes(origin)) reply.header('access-control-allow-origin', origin);
    else return;
    reply.header('access-control-expose-headers', READABLE);
  };
  return {
    allow,
    preflight(request, reply, methods) {
      allow(request, reply);
      return reply
        .code(204)
        .header('access-control-allow-methods', methods)
        .header('access-control-allow-headers', SENDABLE)
        .header('access-control-max-age', REMEMBER_SECONDS)
        .send();
    },
  };
}

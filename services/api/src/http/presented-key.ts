import type { FastifyRequest } from 'fastify';

/**
 * The key of a request: from `Authorization: Bearer`, or on routes that allow it from the query, where only a publishable
 * key may stand (addresses end up in histories and logs).
 */
export function presentedKey(request: FastifyRequest, keyInQuery: boolean): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? 'no bearer';
  if (!keyInQuery) return undefined;
  const given = (request.query as Readonly<Record<string, unknown>>)['publishableKey'];
  if (typeof given !== 'string') return undefined;
  return given.startsWith('sk_') ? 'not a publishable key' : given;
}

// Admits a request: deny list, rate limits, key, rights of the key, key kind, scope, account. Runs before the body is read.

import {
  allowsScope,
  authenticate,
  type Caller,
  type KeyIndexes,
  keyIndexes,
  looksLikeClientSecret,
  parseApiKey,
  rightsRefusal,
  type StoredKey,
} from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { addressNames } from '@svc-pay/runtime/http/address-name';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Denials } from '../abuse/denials.ts';
import { type RateLimiter, rateLimitHeaders, type Verdict } from '../limit/rate-limit.ts';
import type { ApiPorts } from '../ports.ts';
import { classOf, type KeyedRoute } from '../routes/route.ts';
import { createKeyLookups } from './key-lookups.ts';

/** The quota that a request exceeds. */
export type LimitedBy = { readonly policy: string; readonly class: string };

type Admission =
  /** `limitedBy` is set if the caller is over its limit on a route that decides itself whom to spare. */
  | { readonly ok: true; readonly caller: Caller; readonly limitedBy?: LimitedBy }
  | { readonly ok: false; readonly code: ErrorCode; readonly limitedBy?: LimitedBy };

export type Limited = { readonly ok: false; readonly code: 'rate_limited'; readonly limitedBy: LimitedBy };

export type AdmitOptions = {
  readonly ports: Pick<ApiPorts, 'clock' | 'peppers' | 'findKey' | 'denials'>;
  /** Undefined when rate limits are switched off. */
  readonly limiter: RateLimiter | undefined;
  /** Called for every request with an accepted key. */
  readonly keyUsed?: ((caller: Caller) => void) | undefined;
};

export type Admit = (request: FastifyRequest, reply: FastifyReply, route: KeyedRoute) => Promise<Admission>;

export function createAdmit({ ports, limiter, keyUsed }: AdmitOptions): Admit {
  const lookups = createKeyLookups(ports, limiter);

  return async (request, reply, route) => {
    const { clientAddress } = request;
    await ports.denials.arrive();
    if (ports.denials.isAddressDenied(clientAddress)) return { ok: false, code: 'address_denied' };
    const presented = presentedKey(request, route.keyInQuery === true);
    const names = addressNames(clientAddress);
    const of = classOf(route);
    const within = showTightest(reply);
    const shown = presented === undefined ? undefined : parseApiKey(presented);
    // A merchant's servers share few addresses, so requests with a secret key are not counted by address.
    const isCounted = shown?.kind !== 'secret';
    const early = isCounted ? within(await limiter?.byAddress(of, names, shown?.mode ?? 'live')) : undefined;
    if (early !== undefined) {
      request.foundKey = shown && lookups.recall(keyIndexes(ports.peppers, shown.text));
      return early;
    }

    if (presented !== undefined && looksLikeClientSecret(presented))
      return { ok: false, code: 'client_secret_not_allowed' };

    const looked: { indexes?: KeyIndexes; limited?: Limited | undefined } = {};
    const findKey: AdmitOptions['ports']['findKey'] = async (indexes) => {
      const found = await lookups.find(indexes, names);
      if (!found.ok) {
        looked.limited = within(found.verdict);
        request.foundKey = lookups.recall(indexes);
        return undefined;
      }
      looked.indexes = indexes;
      request.foundKey = found.stored;
      return revokeDenied(ports.denials, found.stored);
    };
    const known = await authenticate({ ...ports, findKey }, presented);
    if (looked.limited !== undefined) return looked.limited;
    if (looked.indexes !== undefined) lookups.judged(looked.indexes, request.foundKey, known.ok);
    if (!known.ok) return known;
    const { caller } = known;
    keyUsed?.(caller);
    const late = within(await limiter?.byCaller(of, caller, names));
    if (late !== undefined && route.sparesClaimed !== true) return late;

    const { origin } = request.headers;
    const refused = known.rights && rightsRefusal(known.rights, { origin, creates: route.creates === true });
    if (refused !== undefined) return { ok: false, code: refused };
    if (route.access === 'secret' && caller.kind !== 'secret') return { ok: false, code: 'key_kind_not_allowed' };
    if (!allowsScope(known.scopes, route.scope)) return { ok: false, code: 'key_scope_missing' };
    const named = request.headers['x-account-id'];
    if (named === undefined && route.accountRequired) return { ok: false, code: 'account_id_required' };
    if (named !== undefined && named !== caller.accountId) return { ok: false, code: 'account_mismatch' };
    return { ok: true, caller, ...(late && { limitedBy: late.limitedBy }) };
  };
}

/** Writes the headers of the quota that refuses the request, or of the one with least left. */
export function showTightest(reply: FastifyReply): (verdict: Verdict | undefined) => Limited | undefined {
  let least = Number.POSITIVE_INFINITY;
  return (verdict) => {
    if (verdict === undefined) return undefined;
    if (!verdict.allowed || verdict.remaining < least) reply.headers(rateLimitHeaders(verdict));
    least = Math.min(least, verdict.remaining);
    return verdict.allowed ? undefined : { ok: false, code: 'rate_limited', limitedBy: verdict };
  };
}

/** A denied key is refused as a revoked one, at once and not when the cache of keys forgets it. */
function revokeDenied({ isKeyDenied }: Denials, stored: StoredKey | undefined): StoredKey | undefined {
  return stored !== undefined && isKeyDenied(stored.keyId) ? { ...stored, revoked: true } : stored;
}

/**
 * Reads the key of a request: from `Authorization: Bearer` or, on routes that allow it, from the query. The query takes
 * only a publishable key, because URLs end up in histories and logs.
 */
function presentedKey(request: FastifyRequest, keyInQuery: boolean): string | undefined {
  const bearer = bearerOf(request);
  if (bearer !== undefined) return bearer;
  if (!keyInQuery) return undefined;
  const given = (request.query as Readonly<Record<string, unknown>>)['publishableKey'];
  if (typeof given !== 'string') return undefined;
  return given.startsWith('sk_') ? 'not a publishable key' : given;
}

/** Undefined without the header; no key and no secret for a header that is no bearer. */
export function bearerOf({ headers: { authorization } }: FastifyRequest): string | undefined {
  return authorization === undefined ? undefined : (/^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? 'no bearer');
}

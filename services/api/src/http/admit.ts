// Admits a request: key, key kind, account, rate limits. Runs before the body is read.
import { authenticate, type Caller, parseApiKey } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressName } from '../limit/address-name.ts';
import { type RateLimiter, rateLimitHeaders, type Verdict } from '../limit/rate-limit.ts';
import type { ApiPorts } from '../ports.ts';
import type { KeyedRoute } from '../routes/route.ts';
import { createKeyLookups } from './key-lookups.ts';

type Admission =
  /** `limitedBy` is set if the caller is over its limit on a route that decides itself whom to spare. */
  | { readonly ok: true; readonly caller: Caller; readonly limitedBy?: Verdict['policy'] }
  | { readonly ok: false; readonly code: ErrorCode; readonly limitedBy?: Verdict['policy'] };

type Limited = { readonly ok: false; readonly code: 'rate_limited'; readonly limitedBy: Verdict['policy'] };

export type AdmitOptions = {
  readonly ports: Pick<ApiPorts, 'clock' | 'pepper' | 'findKey'>;
  /** Undefined when rate limits are switched off. */
  readonly limiter: RateLimiter | undefined;
};

export type Admit = (request: FastifyRequest, reply: FastifyReply, route: KeyedRoute) => Promise<Admission>;

export function createAdmit({ ports, limiter }: AdmitOptions): Admit {
  const lookups = createKeyLookups(ports, limiter);
  const within = (reply: FastifyReply, verdict: Verdict | undefined): Limited | undefined => {
    if (verdict === undefined) return undefined;
    reply.headers(rateLimitHeaders(verdict));
    return verdict.allowed ? undefined : { ok: false, code: 'rate_limited', limitedBy: verdict.policy };
  };

  return async (request, reply, route) => {
    const presented = presentedKey(request, route.keyInQuery === true);
    const address = addressName(request.ip);
    // A merchant's servers share few addresses, so requests with a secret key are not counted by address.
    const secretShown = presented !== undefined && parseApiKey(presented)?.kind === 'secret';
    const early = secretShown ? undefined : within(reply, limiter?.byAddress(address, ports.clock.nowMs()));
    if (early !== undefined) return early;

    const looked: { index?: Uint8Array; limited?: Limited | undefined } = {};
    const findKey: AdmitOptions['ports']['findKey'] = async (index) => {
      const found = await lookups.find(index, address);
      if (!found.ok) {
        looked.limited = within(reply, found.verdict);
        return undefined;
      }
      looked.index = index;
      return found.stored;
    };
    const known = await authenticate({ ...ports, findKey }, presented);
    if (looked.limited !== undefined) return looked.limited;
    if (looked.index !== undefined) lookups.judged(looked.index, known.ok);
    if (!known.ok) return known;
    const { caller } = known;
    const late = within(reply, limiter?.byKey(caller, ports.clock.nowMs()));
    if (late !== undefined && route.sparesClaimed !== true) return late;

    if (route.access === 'secret' && caller.kind !== 'secret') return { ok: false, code: 'key_kind_not_allowed' };
    const named = request.headers['x-account-id'];
    if (named === undefined && route.accountRequired) return { ok: false, code: 'account_id_required' };
    if (named !== undefined && named !== caller.accountId) return { ok: false, code: 'account_mismatch' };
    return { ok: true, caller, ...(late && { limitedBy: late.limitedBy }) };
  };
}

/**
 * Reads the key of a request: from `Authorization: Bearer` or, on routes that allow it, from the query. The query takes
 * only a publishable key, because URLs end up in histories and logs.
 */
function presentedKey(request: FastifyRequest, keyInQuery: boolean): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? 'no bearer';
  if (!keyInQuery) return undefined;
  const given = (request.query as Readonly<Record<string, unknown>>)['publishableKey'];
  if (typeof given !== 'string') return undefined;
  return given.startsWith('sk_') ? 'not a publishable key' : given;
}

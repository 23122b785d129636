// From a request to a caller: key, kind, account, limits. Runs before the body is read.
import { authenticate, type Caller, parseApiKey } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type RateLimiter, rateLimitHeaders, type Verdict } from '../limit/rate-limit.ts';
import type { ApiPorts } from '../ports.ts';
import type { KeyedRoute } from '../routes/route.ts';
import { presentedKey } from './presented-key.ts';

type Admission =
  /** `limitedBy`: over its limit, on a route that decides by itself who is spared. */
  | { readonly ok: true; readonly caller: Caller; readonly limitedBy?: Verdict['policy'] }
  | { readonly ok: false; readonly code: ErrorCode; readonly limitedBy?: Verdict['policy'] };

type Limited = { readonly ok: false; readonly code: 'rate_limited'; readonly limitedBy: Verdict['policy'] };

export type AdmitOptions = {
  readonly ports: Pick<ApiPorts, 'clock' | 'pepper' | 'findKey'>;
  /** Undefined when limits are switched off. */
  readonly limiter: RateLimiter | undefined;
};

export type Admit = (request: FastifyRequest, reply: FastifyReply, route: KeyedRoute) => Promise<Admission>;

export function createAdmit({ ports, limiter }: AdmitOptions): Admit {
  const within = (reply: FastifyReply, verdict: Verdict | undefined): Limited | undefined => {
    if (verdict === undefined) return undefined;
    reply.headers(rateLimitHeaders(verdict));
    return verdict.allowed ? undefined : { ok: false, code: 'rate_limited', limitedBy: verdict.policy };
  };

  return async (request, reply, route) => {
    const presented = presentedKey(request, route.keyInQuery === true);
    // A merchant's servers share few addresses, so a secret key is limited by itself alone.
    const secretShown = presented !== undefined && parseApiKey(presented)?.kind === 'secret';
    const byAddress = () => limiter?.byAddress(request.ip, ports.clock.nowMs());
    const early = secretShown ? undefined : within(reply, byAddress());
    if (early !== undefined) return early;

    const known = await authenticate(ports, presented);
    if (!known.ok) return (secretShown ? within(reply, byAddress()) : undefined) ?? known;
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

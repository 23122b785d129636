// Admits a request with the client secret of one intent, in a payable address or in the place of an API key: deny list, quota
// of the address, secret, quota of the account, account. The secret is checked before the database is asked for anything and
// before it counts for the account that it names.

import {
  ACCOUNT_STATUS,
  type AwayCode,
  awayCode,
  type Caller,
  type RequestClass,
  readClientSecret,
} from '@svc-pay/core';
import { type Id, isId } from '@svc-pay/protocol/ids';
import { addressNames } from '@svc-pay/runtime/http/address-name';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearsPayment } from '../buyer/payment-headers.ts';
import type { RateLimiter } from '../limit/rate-limit.ts';
import type { ApiPorts } from '../ports.ts';
import { classOf, type KeyedRoute, type PayableRoute } from '../routes/route.ts';
import { type Limited, type LimitedBy, showTightest } from './admit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client secret that a request shows instead of a key. Nobody has checked it yet. */
    shownSecret: ShownSecret | undefined;
  }
}

type Within = ReturnType<typeof showTightest>;

type ShownSecret = { readonly text: string; readonly within: Within };

type Admitted = {
  readonly ok: true;
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  /** Set for a payment over the limit: one that was claimed before is answered all the same. */
  readonly limitedBy?: LimitedBy;
};

type Refused<Code extends string> = { readonly ok: false; readonly code: Code; readonly param?: string };

export type AdmitSecret = {
  /** A payable address. */
  readonly toAddress: (
    request: FastifyRequest,
    reply: FastifyReply,
    route: Pick<PayableRoute, 'quota'>,
  ) => Promise<Admitted | Limited | Refused<'address_denied' | 'not_found' | AwayCode>>;
  /** A route of payers, before the body is read. Undefined: goes on, and `toIntent` admits or refuses. */
  readonly toRoute: (
    request: FastifyRequest,
    shown: ShownSecret,
    route: KeyedRoute,
  ) => Promise<Limited | Refused<'address_denied'> | undefined>;
  /** The same route, when the intent that it names is known. */
  readonly toIntent: (
    request: FastifyRequest,
    shown: ShownSecret,
    route: KeyedRoute,
  ) => Promise<
    Admitted | Limited | Refused<'client_secret_invalid' | 'account_mismatch' | 'malformed_request' | AwayCode>
  >;
};

export type AdmitSecretOptions = {
  readonly ports: Pick<ApiPorts, 'clock' | 'peppers' | 'denials' | 'findAccountStatus'>;
  readonly limiter: RateLimiter | undefined;
};

type Asked = {
  readonly of: RequestClass;
  readonly within: Within;
  readonly intentId: unknown;
  readonly secret: unknown;
  /** The route decides itself who is answered over the limit. */
  readonly spares: boolean;
};

export function createAdmitSecret({ ports, limiter }: AdmitSecretOptions): AdmitSecret {
  async function refuseAddress({ clientAddress }: FastifyRequest, of: RequestClass, within: Within) {
    await ports.denials.arrive();
    if (ports.denials.isAddressDenied(clientAddress)) return { ok: false, code: 'address_denied' } as const;
    return within(await limiter?.byAddress(of, addressNames(clientAddress), 'live'));
  }

  /** Undefined for a secret that is not this intent's, or is of an account that is closed. */
  async function admit(
    { clientAddress }: FastifyRequest,
    asked: Asked,
  ): Promise<Admitted | Limited | Refused<AwayCode> | undefined> {
    const { of, within, intentId, secret } = asked;
    if (!isId('paymentIntent', intentId) || typeof secret !== 'string') return undefined;
    const owner = readClientSecret(ports.peppers, intentId, secret, ports.clock.nowMs());
    if (owner === undefined) return undefined;
    // There is no key: all client secrets of an account share the quota of one, and see what a publishable key sees.
    const keyId = `pay/${owner.accountId}/${owner.mode}` as Id<'key'>;
    const caller = { ...owner, keyId, kind: 'publishable' } as const;
    const late = within(await limiter?.byCaller(of, caller, addressNames(clientAddress)));
    if (late !== undefined && !asked.spares) return late;
    const status = await ports.findAccountStatus(owner.accountId);
    if (status === ACCOUNT_STATUS.moving || status === ACCOUNT_STATUS.moved)
      return { ok: false, code: awayCode(status) };
    if (status !== ACCOUNT_STATUS.active) return undefined;
    return { ok: true, caller, intentId, ...(late && { limitedBy: late.limitedBy }) };
  }

  return {
    async toAddress(request, reply, { quota }) {
      const pays = quota === undefined && bearsPayment(request.headers);
      const of = quota ?? (pays ? 'settles' : 'reads');
      const within = showTightest(reply);
      const early = await refuseAddress(request, of, within);
      if (early !== undefined) return early;
      const { intentId } = request.params as { readonly intentId?: unknown };
      const { client_secret: secret } = request.query as { readonly client_secret?: unknown };
      const admitted = await admit(request, { of, within, intentId, secret, spares: pays });
      return admitted ?? { ok: false, code: 'not_found' };
    },

    toRoute: (request, { within }, route) => refuseAddress(request, classOf(route), within),

    async toIntent(request, { text: secret, within }, route) {
      const intentId = intentNamedBy(request, route);
      if (typeof intentId !== 'string') return { ok: false, code: 'malformed_request', param: 'paymentIntentId' };
      const spares = route.sparesClaimed === true;
      const admitted = await admit(request, { of: classOf(route), within, intentId, secret, spares });
      if (admitted === undefined) return { ok: false, code: 'client_secret_invalid' };
      const named = request.headers['x-account-id'];
      const isOther = admitted.ok && named !== undefined && named !== admitted.caller.accountId;
      return isOther ? { ok: false, code: 'account_mismatch' } : admitted;
    },
  };
}

/** The one intent that the route then works on: of its path or, where that names none, of the body. */
function intentNamedBy({ params, body }: FastifyRequest, { path }: KeyedRoute): unknown {
  if (path.includes('{intentId}')) return (params as { readonly intentId?: unknown }).intentId;
  const isObject = typeof body === 'object' && body !== null;
  return isObject ? (body as { readonly paymentIntentId?: unknown }).paymentIntentId : undefined;
}

// Admits a request to a payable address: deny list, rate limits, client secret, account. The secret is checked before the
// database is asked for anything.
import { type Caller, readClientSecret } from '@svc-pay/core';
import { type Id, isId } from '@svc-pay/protocol/ids';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearsPayment } from '../buyer/payment-headers.ts';
import { addressNames } from '../limit/address-name.ts';
import type { RateLimiter } from '../limit/rate-limit.ts';
import type { ApiPorts } from '../ports.ts';
import { type Limited, type LimitedBy, showTightest } from './admit.ts';

type SecretAdmission =
  | {
      readonly ok: true;
      readonly caller: Caller;
      readonly intentId: Id<'paymentIntent'>;
      /** Set for a payment over the limit: one that was claimed before is answered all the same. */
      readonly limitedBy?: LimitedBy;
    }
  | Limited
  | { readonly ok: false; readonly code: 'address_denied' | 'not_found' };

export type AdmitSecret = (request: FastifyRequest, reply: FastifyReply) => Promise<SecretAdmission>;

export type AdmitSecretOptions = {
  readonly ports: Pick<ApiPorts, 'clock' | 'pepper' | 'denials' | 'isAccountActive'>;
  readonly limiter: RateLimiter | undefined;
};

export function createAdmitSecret({ ports, limiter }: AdmitSecretOptions): AdmitSecret {
  return async (request, reply) => {
    const { clientAddress } = request;
    if (ports.denials.isAddressDenied(clientAddress)) return { ok: false, code: 'address_denied' };
    const { intentId } = request.params as { readonly intentId?: unknown };
    const { client_secret: secret } = request.query as { readonly client_secret?: unknown };
    const pays = bearsPayment(request.headers);
    const of = pays ? 'settles' : 'reads';
    const names = addressNames(clientAddress);
    const within = showTightest(reply);
    const owner =
      isId('paymentIntent', intentId) && typeof secret === 'string'
        ? readClientSecret(ports.pepper, intentId, secret, ports.clock.nowMs())
        : undefined;
    const early = within(await limiter?.byAddress(of, names, owner?.mode ?? 'live'));
    if (early !== undefined) return early;
    if (owner === undefined || !isId('paymentIntent', intentId)) return { ok: false, code: 'not_found' };
    // There is no key: all payable addresses of an account share the quota of one, and see what a publishable key sees.
    const keyId = `pay/${owner.accountId}/${owner.mode}` as Id<'key'>;
    const caller = { ...owner, keyId, kind: 'publishable' } as const;
    const late = within(await limiter?.byCaller(of, caller, names));
    if (late !== undefined && !pays) return late;
    if (!(await ports.isAccountActive(owner.accountId))) return { ok: false, code: 'not_found' };
    return { ok: true, caller, intentId, ...(late && { limitedBy: late.limitedBy }) };
  };
}

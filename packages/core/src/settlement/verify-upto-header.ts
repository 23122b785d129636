// Verifies a header for an up-to intent as settle would: terms first, then the chain. Stores nothing.
import { type AcceptanceEcho, decodePaymentHeader } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { Intent } from '../intent/intent.ts';
import type { AuthorizationKind } from '../payment/claim-payment.ts';
import { type VerifiedTerms, verifyTerms } from '../payment/verify-terms.ts';
import { claimKeyOf, MAY_BE_CLAIMED } from './settle-payment.ts';
import type { UptoPorts } from './upto-ports.ts';

export type HeaderCall = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly encodedHeader: string;
  readonly echo: AcceptanceEcho | null | undefined;
};

export type VerifiedHeader = VerifiedTerms & {
  readonly kind: AuthorizationKind;
  readonly byContract: boolean;
  readonly claimKey: Uint8Array;
};

export type HeaderVerdict =
  | ({ readonly ok: true } & VerifiedHeader)
  /** Another call took the authorization for this intent during the chain read. */
  | { readonly ok: false; readonly code: 'taken_here' }
  | { readonly ok: false; readonly code: ErrorCode; readonly detail?: string };

export async function verifyHeader(ports: UptoPorts, call: HeaderCall, intent: Intent): Promise<HeaderVerdict> {
  const { caller, intentId } = call;
  const [acceptances, hourlyCaps] = await Promise.all([
    ports.loadAcceptances(caller, intentId),
    ports.findHourlyCaps(),
  ]);
  const terms = verifyTerms({
    intent,
    acceptances,
    decoded: decodePaymentHeader(call.encodedHeader),
    echo: call.echo,
    networks: ports.networks,
    hourlyCaps,
    nowMs: ports.clock.nowMs(),
    purpose: 'upto_confirm',
  });
  if (!terms.ok) return terms;
  const claimKey = claimKeyOf(ports, terms);
  const verdict = await ports.verifyAuthorization(terms, call);
  if (verdict.ok) return { ...terms, ...verdict, claimKey };
  const holder = MAY_BE_CLAIMED.has(verdict.code) ? await ports.findClaim(caller, intentId, claimKey) : undefined;
  if (holder === 'elsewhere') return { ok: false, code: 'authorization_bound_elsewhere' };
  return holder === 'here' ? { ok: false, code: 'taken_here' } : { ok: false, code: verdict.code };
}

// A header for an up-to intent, verified as settle would verify it: terms first, then the chain. Nothing is taken yet.
import { type AcceptanceEcho, decodePaymentHeader } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { Intent } from '../intent/intent.ts';
import type { AuthorizationKind } from '../settle/claim-payment.ts';
import { claimKeyOf, MAY_BE_CLAIMED } from '../settle/settle-payment.ts';
import { type VerifiedTerms, verifyTerms } from '../settle/verify-terms.ts';
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
  /** Taken for this intent by somebody else while the chain was asked. */
  | { readonly ok: false; readonly code: 'taken_here' }
  | { readonly ok: false; readonly code: ErrorCode; readonly detail?: string };

export async function verifyHeader(ports: UptoPorts, call: HeaderCall, intent: Intent): Promise<HeaderVerdict> {
  const { caller, intentId } = call;
  const [acceptances, merchant] = await Promise.all([
    ports.loadAcceptances(caller, intentId),
    ports.loadMerchant(caller),
  ]);
  const terms = verifyTerms({
    intent,
    acceptances,
    decoded: decodePaymentHeader(call.encodedHeader),
    echo: call.echo,
    minimumUsdMicros: merchant.minimumUsdMicros,
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

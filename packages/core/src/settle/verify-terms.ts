// Everything about a header that needs no chain, cheap checks first. A refusal here changes nothing: anyone with a
// publishable key may send headers.
import type { UsdMicros } from '@svc-pay/money';
import { type AcceptanceEcho, type DecodedHeader, type EvmPaymentHeader, parseNetwork } from '@svc-pay/protocol';
import type { Intent } from '../intent/intent.ts';
import { isBelowMinimum } from '../pricing/below-minimum.ts';
import { sameAddress } from '../token/same-address.ts';
import { checkWindow, type Purpose, type WindowRefusal } from './check-window.ts';
import { type MatchRefusal, matchAcceptance } from './match-acceptance.ts';
import type { StoredAcceptance } from './stored-acceptance.ts';

export type TermsRefusal =
  | 'invalid_payment_header'
  | 'intent_not_payable'
  | 'sender_mismatch'
  | 'x402_minimum_amount_not_met'
  | WindowRefusal
  | MatchRefusal;

export type VerifiedTerms = { readonly header: EvmPaymentHeader; readonly acceptance: StoredAcceptance };

export type TermsVerdict =
  | ({ readonly ok: true } & VerifiedTerms)
  | { readonly ok: false; readonly code: TermsRefusal; readonly detail?: string };

export type TermsToVerify = {
  readonly intent: Intent;
  readonly acceptances: readonly StoredAcceptance[];
  readonly decoded: DecodedHeader;
  readonly echo: AcceptanceEcho | null | undefined;
  readonly minimumUsdMicros: UsdMicros | null;
  readonly nowMs: number;
  readonly purpose: Purpose;
};

export function verifyTerms(given: TermsToVerify): TermsVerdict {
  const { intent, acceptances, nowMs, decoded } = given;
  if (!decoded.ok) return { ok: false, code: decoded.code, detail: decoded.path ?? decoded.reason };
  const { header } = decoded;
  if (!hasAuthorization(header)) return { ok: false, code: 'invalid_payment_header', detail: 'payload' };
  if (parseNetwork(header.network) === undefined) return { ok: false, code: 'network_mismatch' };
  if (header.scheme !== (intent.upto ? 'upto' : 'exact')) return { ok: false, code: 'scheme_mismatch' };

  const matched = matchAcceptance(acceptances, header, given.echo);
  if (!matched.ok) return matched;
  const { acceptance } = matched;
  if (intent.status !== 'requires_payment' || intent.expiresAtMs <= nowMs)
    return { ok: false, code: 'intent_not_payable' };
  if (intent.expectedSender !== null && !sameAddress(intent.expectedSender, header.payload.authorization.from)) {
    return { ok: false, code: 'sender_mismatch' };
  }
  if (isBelowMinimum(acceptance.amount, acceptance.rate, given.minimumUsdMicros))
    return { ok: false, code: 'x402_minimum_amount_not_met' };
  const nowSeconds = Math.floor(nowMs / 1_000);
  const refused = checkWindow(header.payload.authorization, acceptance.maxTimeoutSeconds, nowSeconds, given.purpose);
  return refused === undefined ? { ok: true, header, acceptance } : { ok: false, code: refused };
}

/** Whether a header carries an authorization, of EVM or of a signed text, rather than a whole transaction. */
export function hasAuthorization(header: { readonly payload: object }): header is EvmPaymentHeader {
  return 'authorization' in header.payload;
}

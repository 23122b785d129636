// Checks of a header that need no chain, cheapest first. A refusal here changes no state: anyone with a publishable key
// may submit headers.
import { type AcceptanceEcho, type EvmPaymentHeader, parseNetwork } from '@svc-pay/protocol';
import type { DecodedHeader } from '@svc-pay/protocol/x402';
import type { Intent } from '../intent/intent.ts';
import { isPayable } from '../intent/is-payable.ts';
import { matchAccepted } from '../intent/issued-requirements.ts';
import { type MatchRefusal, matchAcceptance } from '../intent/match-acceptance.ts';
import { hasPriceEnded, type StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { NetworkSetup } from '../payout/merchant-setup.ts';
import { isBelowMinimum } from '../pricing/below-minimum.ts';
import { sameAddress } from '../token/address.ts';
import { findChain } from '../token/chain.ts';
import { exceedsHourlyCap, type HourlyCap } from '../token/hourly-caps.ts';
import { nonceBinding } from './bound-terms.ts';
import { checkWindow, type Purpose, type WindowRefusal } from './check-window.ts';

export type TermsRefusal =
  | 'invalid_payment_header'
  | 'intent_not_payable'
  | 'sender_mismatch'
  | 'x402_minimum_amount_not_met'
  | 'x402_temporarily_unavailable'
  | WindowRefusal
  | MatchRefusal;

export type VerifiedTerms = {
  readonly header: EvmPaymentHeader;
  readonly acceptance: StoredAcceptance;
  /** The nonce commits to this intent and acceptance. */
  readonly bound?: true;
};

export type TermsVerdict =
  | ({ readonly ok: true } & VerifiedTerms)
  | {
      readonly ok: false;
      readonly code: TermsRefusal;
      readonly detail?: string;
      /** Set where the header pays a direct acceptance to the letter: if it is validly signed, anybody may submit it. */
      readonly refused?: VerifiedTerms;
    };

export type TermsToVerify = {
  readonly intent: Intent;
  readonly acceptances: readonly StoredAcceptance[];
  readonly decoded: DecodedHeader;
  readonly echo: AcceptanceEcho | null | undefined;
  readonly networks: ReadonlyMap<string, Pick<NetworkSetup, 'blockSeconds'>>;
  readonly hourlyCaps: readonly HourlyCap[];
  readonly nowMs: number;
  readonly purpose: Purpose;
};

export function verifyTerms(given: TermsToVerify): TermsVerdict {
  const matched = matchTerms(given);
  if (!matched.ok) return matched;
  const { ok: _, ...terms } = matched;
  const refusal = refusalOf(given, terms);
  if (refusal === undefined) return matched;
  return { ok: false, ...refusal, ...(terms.acceptance.direct !== undefined && { refused: terms }) };
}

/** What the header says, and which acceptance it pays. */
function matchTerms({ intent, acceptances, decoded, echo }: TermsToVerify): TermsVerdict {
  if (!decoded.ok) {
    const code = decoded.reason === 'unknown_network' ? 'network_mismatch' : decoded.code;
    return { ok: false, code, detail: decoded.path === '' ? decoded.reason : decoded.path };
  }
  const { header } = decoded;
  if (!hasAuthorization(header)) return { ok: false, code: 'invalid_payment_header', detail: 'payload' };
  if (parseNetwork(header.network) === undefined) return { ok: false, code: 'network_mismatch' };
  if (header.scheme !== (intent.upto ? 'upto' : 'exact')) return { ok: false, code: 'scheme_mismatch' };
  const repeated = decoded.accepted && matchAccepted(acceptances, intent.id, decoded.accepted);
  if (repeated?.ok === false) return { ok: false, code: 'acceptance_mismatch', detail: repeated.field };
  const matched = matchAcceptance(repeated?.acceptances ?? acceptances, header, echo);
  if (!matched.ok) return matched;
  const { acceptance } = matched;
  const binding = nonceBinding(header.payload.authorization.nonce, intent, acceptance);
  if (binding === 'foreign') return { ok: false, code: 'acceptance_mismatch', detail: 'nonce' };
  return { ok: true, header, acceptance, ...(binding === 'bound' && { bound: true }) };
}

type Refusal = { readonly code: TermsRefusal; readonly detail?: string };

/** Whether the payment may be made now. */
function refusalOf(given: TermsToVerify, { header, acceptance }: VerifiedTerms): Refusal | undefined {
  const { intent, nowMs } = given;
  const { authorization } = header.payload;
  if (!isPayable(intent, nowMs)) return { code: 'intent_not_payable' };
  if (hasPriceEnded(acceptance, nowMs)) return { code: 'intent_not_payable', detail: 'price' };
  if (intent.expectedSender !== null && !sameAddress(intent.expectedSender, authorization.from))
    return { code: 'sender_mismatch' };
  if (acceptance.payoutWithdrawn) return { code: 'x402_temporarily_unavailable', detail: 'payout' };
  const { network, token, amount, rate, maxTimeoutSeconds, minimumUsdMicros, direct } = acceptance;
  if (isBelowMinimum(amount, rate, minimumUsdMicros)) return { code: 'x402_minimum_amount_not_met' };
  // An up-to payment counts only its settled amount against the cap, checked when it is settled. A direct payment does not
  // pass the processor, whose cap it is.
  const capped = !intent.upto && direct === undefined;
  if (capped && exceedsHourlyCap(given.hourlyCaps, network, token.address, amount))
    return { code: 'x402_temporarily_unavailable', detail: 'hourly_cap' };
  const nowSeconds = Math.floor(nowMs / 1_000);
  const blockSeconds = given.networks.get(network)?.blockSeconds ?? findChain(network)?.blockSeconds ?? 0;
  const purpose = direct === undefined ? given.purpose : 'direct';
  const refused = checkWindow(authorization, maxTimeoutSeconds, nowSeconds, purpose, blockSeconds);
  return refused === undefined ? undefined : { code: refused };
}

/** Whether a header has an authorization (EVM or a signed text) rather than a whole transaction. */
export function hasAuthorization(header: { readonly payload: object }): header is EvmPaymentHeader {
  return 'authorization' in header.payload;
}

// Prices an intent in one token and decides whether X402 can take it.
import { agreesWithUsd, type Rate, requiredFromUsd, tokenAmount, type UsdMicros } from '@svc-pay/money';
import type { ActivePayout, MerchantSetup, NetworkSetup } from '../payout/merchant-setup.ts';
import { higherMinimum, isBelowMinimum } from '../pricing/below-minimum.ts';
import { confirmationsFor } from '../token/confirmations.ts';
import { exceedsHourlyCap, type HourlyCap } from '../token/hourly-caps.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import { choosePayout } from './choose-payout.ts';
import { familyFor, type Offer, type OfferFamily, type PricedToken } from './offer-family.ts';
import { type AskedAmount, MAX_PAYABLE_ATOMIC } from './read-amount.ts';

/** Conditions of an offer besides the token and the account. */
export type OfferConditions = {
  readonly families: readonly Pick<OfferFamily, 'owns' | 'carriesUpto'>[];
  readonly networks: ReadonlyMap<string, NetworkSetup>;
  readonly hourlyCaps: readonly HourlyCap[];
  readonly nowMs: number;
  /** End of a rate that a price feed gives now. */
  readonly feedPriceEndsAtMs: number;
};

export type Unavailable =
  | 'x402_not_available_for_token'
  | 'x402_temporarily_unavailable'
  | 'x402_minimum_amount_not_met'
  | 'x402_upto_not_available';

export type Priced =
  | { readonly ok: true; readonly priced: PricedToken }
  | { readonly ok: false; readonly code: 'amounts_disagree' | 'amount_too_large' };

export function priceToken(token: TokenEntry, rate: Rate, asked: AskedAmount): Priced {
  if (asked.atomic !== null) {
    const given = tokenAmount(token.unit, asked.atomic);
    if (asked.usd !== null && !agreesWithUsd(given, asked.usd, rate)) return { ok: false, code: 'amounts_disagree' };
    return { ok: true, priced: { token, rate, amount: asked.atomic } };
  }
  if (asked.usd === null)
    throw new Error(`token ${token.shortcode}: the intent has neither a token amount nor a dollar amount`);
  const amount = requiredFromUsd(asked.usd, rate).atomic;
  if (amount > MAX_PAYABLE_ATOMIC) return { ok: false, code: 'amount_too_large' };
  return { ok: true, priced: { token, rate, amount } };
}

/** An offer, or the code that says why X402 can't take this token now. `amount_too_large` is no reason to fall back. */
export function offerToken(
  priced: PricedToken,
  upto: boolean,
  merchant: MerchantSetup,
  { families, networks, hourlyCaps, nowMs, feedPriceEndsAtMs }: OfferConditions,
): Offer | Unavailable | 'amount_too_large' {
  const { token } = priced;
  const way = findWay(token, upto, merchant, { families, networks, nowMs });
  if (typeof way === 'string') return way;
  const { setup, payout, minimumUsdMicros } = way;
  if (isBelowMinimum(priced.amount, priced.rate, minimumUsdMicros))
    return upto ? 'x402_upto_not_available' : 'x402_minimum_amount_not_met';
  // The cap is the processor's: a direct payment does not pass it.
  const capped = payout?.direct === undefined;
  if (capped && exceedsHourlyCap(hourlyCaps, token.network, token.address, priced.amount)) return 'amount_too_large';
  if (!way.isOpen || payout === undefined) return upto ? 'x402_upto_not_available' : 'x402_temporarily_unavailable';
  return {
    ...priced,
    setup,
    payout,
    confirmations: confirmationsFor(setup.confirmations, priced),
    minimumUsdMicros,
    priceEndsAtMs: token.price === 'fixed' ? null : feedPriceEndsAtMs,
  };
}

export type PaymentWay = {
  readonly setup: NetworkSetup;
  /** Undefined while the account has none that is active there. */
  readonly payout: ActivePayout | undefined;
  /** Whether a payment is taken now. */
  readonly isOpen: boolean;
  readonly minimumUsdMicros: UsdMicros | null;
};

/** How a payment in this token would reach the account, whatever its amount; a code where it never can. */
export function findWay(
  token: TokenEntry,
  upto: boolean,
  merchant: MerchantSetup,
  { families, networks, nowMs }: Pick<OfferConditions, 'families' | 'networks' | 'nowMs'>,
): PaymentWay | 'x402_not_available_for_token' | 'x402_upto_not_available' {
  const setup = networks.get(token.network);
  const family = familyFor(families, token.network);
  if (family === undefined || token.signing === 'none' || setup === undefined) {
    return upto ? 'x402_upto_not_available' : 'x402_not_available_for_token';
  }
  if (upto && !family.carriesUpto(token, setup)) return 'x402_upto_not_available';
  const payout = choosePayout(merchant.payouts, token, setup, upto, nowMs);
  const isOpen = takesHeaders(setup, payout?.direct !== undefined);
  const minimumUsdMicros = higherMinimum(setup.minimumUsdMicros ?? null, merchant.minimumUsdMicros);
  return { setup, payout, isOpen: isOpen && payout !== undefined, minimumUsdMicros };
}

/** Whether a relayer would settle a header. */
export function takesHeaders(
  { ready, withdrawn }: Pick<NetworkSetup, 'ready' | 'withdrawn'>,
  direct: boolean,
): boolean {
  return ready && (withdrawn === undefined || (direct && withdrawn !== 'all' && withdrawn !== 'headers'));
}

/** `payWithSignatureUpto` exists since version 1.3.0. */
export function settlesUpto(version: string | undefined): boolean {
  if (version === undefined) return false;
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major > 1 || (major === 1 && minor >= 3);
}

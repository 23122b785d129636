// Decides whether the payer can pay a token by transactions of his own. No relayer takes part: neither its coins, nor its
// hourly cap, nor the minimum that makes a relayed payment worth its gas count here.

import type { MerchantSetup, NetworkSetup } from '../payout/merchant-setup.ts';
import { confirmationsFor } from '../token/confirmations.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import { choosePayout } from './choose-payout.ts';
import type { OfferConditions } from './offer.ts';
import { familyFor, type Offer, type OfferFamily, type PricedToken } from './offer-family.ts';

type Conditions = Pick<OfferConditions, 'networks' | 'nowMs' | 'feedPriceEndsAtMs'> & {
  readonly families: readonly Pick<OfferFamily, 'owns' | 'regular'>[];
};

/** Undefined where the payer can't. */
export function offerRegular(
  priced: PricedToken,
  merchant: Pick<MerchantSetup, 'payouts'>,
  { families, networks, nowMs, feedPriceEndsAtMs }: Conditions,
): Offer | undefined {
  const { token } = priced;
  const way = findRegularWay(token, merchant, { families, networks, nowMs });
  if (way === undefined) return undefined;
  const { setup } = way;
  return {
    ...priced,
    ...way,
    confirmations: confirmationsFor(setup.confirmations, priced),
    minimumUsdMicros: null,
    priceEndsAtMs: token.price === 'fixed' ? null : feedPriceEndsAtMs,
  };
}

/** How a payment by the payer's own transaction would reach the account, whatever its amount; undefined where it can't. */
export function findRegularWay(
  token: TokenEntry,
  merchant: Pick<MerchantSetup, 'payouts'>,
  { families, networks, nowMs }: Omit<Conditions, 'feedPriceEndsAtMs'>,
): Pick<Offer, 'setup' | 'payout'> | undefined {
  const setup = networks.get(token.network);
  if (setup === undefined || familyFor(families, token.network)?.regular === undefined) return undefined;
  const payout = choosePayout(merchant.payouts, token, setup, false, nowMs);
  return payout !== undefined && takesRegular(setup, payout.direct !== undefined) ? { setup, payout } : undefined;
}

/** Whether a payment by the payer's own transaction would arrive and be found. */
export function takesRegular(
  { ready, withdrawn }: Pick<NetworkSetup, 'ready' | 'withdrawn'>,
  direct: boolean,
): boolean {
  return ready && withdrawn !== 'all' && (direct || withdrawn !== 'processor');
}

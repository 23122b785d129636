// Decides which of the priced tokens a new intent offers, and by which flow.
import type { Caller } from '../account/authenticate.ts';
import type { MerchantSetup } from '../payout/merchant-setup.ts';
import { type OfferConditions, offerToken, type Unavailable } from './offer.ts';
import { familyFor, type Offer, type OfferFamily, type PricedToken } from './offer-family.ts';
import { offerRegular } from './offer-regular.ts';
import type { IntentRefusal, IntentTerms } from './read-terms.ts';

export type AskedTokens = {
  readonly caller: Caller;
  readonly tokens: readonly PricedToken[];
  readonly merchant: MerchantSetup;
  readonly expectedSender: string | null;
  readonly conditions: OfferConditions & { readonly families: readonly OfferFamily[] };
};

export type ChosenOffers =
  | { readonly ok: true; readonly flow: 'x402'; readonly offers: readonly Offer[] }
  | {
      readonly ok: true;
      readonly flow: 'regular';
      readonly offers: readonly Offer[];
      /** Why nothing is offered to be signed; absent where only the regular flow was asked for. */
      readonly fallback?: Unavailable;
    }
  | IntentRefusal;

/** By X402 where it can be used. Where it can't, the same intent is offered by the regular flow: an up-to never is. */
export async function chooseOffers(
  asked: AskedTokens,
  { upto, asked: { atomic } }: Pick<IntentTerms, 'upto' | 'asked'>,
): Promise<ChosenOffers> {
  const { caller, tokens, merchant, conditions } = asked;
  const judged = await Promise.all(
    tokens.map((token) => checkOffer(conditions, caller, offerToken(token, upto, merchant, conditions))),
  );
  const offers = judged.filter((offer) => typeof offer !== 'string');
  if (offers.length > 0) return { ok: true, flow: 'x402', offers };
  const fallback = judged.find((offer) => typeof offer === 'string' && offer !== 'amount_too_large');
  if (fallback === undefined)
    return { ok: false, code: 'amount_too_large', param: atomic === null ? 'usdAmount' : 'amount' };
  if (upto) return { ok: false, code: 'x402_upto_not_available', param: 'x402Upto' };
  return { ok: true, flow: 'regular', offers: await regularOffers(asked), fallback };
}

/** Refused where no token can be paid by the regular flow. */
export async function chooseRegular(asked: AskedTokens): Promise<ChosenOffers> {
  const { tokens } = asked;
  if (tokens.every(({ token }) => !takesSender(asked, token)))
    return {
      ok: false,
      code: 'malformed_request',
      param: 'expectedSenderPrincipal',
      message: `expectedSenderPrincipal names nobody who could pay in ${tokens.map(({ token }) => token.shortcode).join(', ')}.`,
    };
  const offers = await regularOffers(asked);
  return offers.length > 0
    ? { ok: true, flow: 'regular', offers }
    : { ok: false, code: 'regular_flow_unavailable', param: null };
}

async function regularOffers(asked: AskedTokens): Promise<readonly Offer[]> {
  const { caller, tokens, merchant, conditions } = asked;
  const judged = await Promise.all(
    tokens.map(async (priced) => {
      const offer = takesSender(asked, priced.token) ? offerRegular(priced, merchant, conditions) : undefined;
      return offer !== undefined && (await isTakenRegularly(conditions, caller, offer)) ? offer : undefined;
    }),
  );
  return judged.filter((offer) => offer !== undefined);
}

/** Whether what a payer sends by himself would reach the merchant, and be found. */
export async function isTakenRegularly(
  conditions: { readonly families: readonly OfferFamily[] },
  caller: Caller,
  offer: Pick<Offer, 'payout' | 'token'>,
): Promise<boolean> {
  const regular = familyFor(conditions.families, offer.token.network)?.regular;
  const isRead = (await regular?.isRead?.(offer.token)) !== false;
  return isRead && isPayoutActivated(conditions, caller, offer);
}

function takesSender({ expectedSender, conditions }: AskedTokens, { network }: PricedToken['token']): boolean {
  const regular = familyFor(conditions.families, network)?.regular;
  return expectedSender === null || regular?.takesSender?.(expectedSender) !== false;
}

/**
 * A direct payout whose activation does not hold is not offered. No other payout takes its place: whoever can only write to
 * the database must not decide where the money goes.
 */
async function checkOffer(
  conditions: Pick<AskedTokens['conditions'], 'families'>,
  caller: Caller,
  offer: ReturnType<typeof offerToken>,
): Promise<ReturnType<typeof offerToken>> {
  if (typeof offer === 'string') return offer;
  return (await isPayoutActivated(conditions, caller, offer)) ? offer : 'x402_temporarily_unavailable';
}

/** Whether money may be sent to the payout: both signatures of a direct one hold. */
export async function isPayoutActivated(
  { families }: { readonly families: readonly OfferFamily[] },
  caller: Caller,
  { payout, token }: Pick<Offer, 'payout' | 'token'>,
): Promise<boolean> {
  const { network, payoutId, merchant: wallet, direct } = payout;
  if (direct === undefined) return true;
  const { activation } = direct;
  const asset = token.address;
  const offered = { network, payoutId, asset, wallet, activation };
  return (await familyFor(families, network)?.checkPayout?.(caller, offered)) === true;
}

// The seller's requirements as an offer of ours: the account's payout, the rate and the limits that a new intent has too.
import { atomicAmount } from '@svc-pay/money';
import type { Caller } from '../account/authenticate.ts';
import { isPayoutActivated } from '../intent/choose-offers.ts';
import { offeredNetworks } from '../intent/create-intent.ts';
import { offerToken } from '../intent/offer.ts';
import { familyFor, type Offer } from '../intent/offer-family.ts';
import { MAX_PAYABLE_ATOMIC } from '../intent/read-amount.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { MerchantSetup, NetworkSetup } from '../payout/merchant-setup.ts';
import { takesTransactions } from '../settlement/payment-family.ts';
import { sameAddress } from '../token/address.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import { choosePayTo, type PayToChoice } from './choose-pay-to.ts';
import type { FacilitatorPorts } from './facilitator-ports.ts';
import { refusal, type SellerPayment, type SellerRefusal } from './seller-payment.ts';

export type SellerOffer = { readonly offer: Offer; readonly acceptance: StoredAcceptance };

/** A lease lasts as long as the signature, and counts against the payer's balance all the time. */
export const MAX_TIMEOUT_SECONDS = 3_600;

export async function offerForSeller(
  ports: FacilitatorPorts,
  caller: Caller,
  { token, terms }: SellerPayment,
): Promise<({ readonly ok: true } & SellerOffer) | SellerRefusal> {
  const amount = atomicAmount(BigInt(terms.amount));
  if (amount === 0n) return refusal('invalid_amount', 'paymentRequirements.amount must be above 0.');
  if (amount > MAX_PAYABLE_ATOMIC) return refusal('amount_too_large');
  const [merchant, networks, hourlyCaps, rate] = await Promise.all([
    ports.loadMerchant(caller),
    offeredNetworks(ports),
    ports.findHourlyCaps(),
    ports.rateOf(token),
  ]);
  if (!merchant.enabledTokens.has(token.shortcode))
    return refusal('token_not_enabled', `Enable the token ${token.shortcode} for the account.`);
  const setup = networks.get(token.network);
  if (setup === undefined) return refusal('x402_not_available_for_token');
  if (rate === undefined) return refusal('price_unavailable');
  const nowMs = ports.clock.nowMs();
  const chosen = await chooseFor(ports, caller, merchant, token, setup, terms.payTo, nowMs);
  if (!chosen.ok && chosen.payout !== undefined && chosen.expected === undefined)
    return refusal('x402_temporarily_unavailable', 'The activation of the account’s wallet can’t be checked now.');
  if (!chosen.ok) return payToRefusal(chosen.expected, token);
  const { families } = ports;
  const conditions = { families, networks, hourlyCaps, nowMs, feedPriceEndsAtMs: nowMs + ports.priceLifeMs };
  const offer = offerToken({ token, rate, amount }, false, { ...merchant, payouts: [chosen.payout] }, conditions);
  if (typeof offer === 'string') return refusal(offer);
  const maxTimeoutSeconds = Math.min(terms.maxTimeoutSeconds, MAX_TIMEOUT_SECONDS);
  return { ok: true, offer, acceptance: acceptanceOf(offer, spellingOf(terms.payTo, offer), maxTimeoutSeconds) };
}

/**
 * The payout that `payTo` names. No address of a wallet whose activation does not hold is named to anybody: whoever can only
 * write to the database must not decide where the money goes.
 */
export async function chooseFor(
  ports: Pick<FacilitatorPorts, 'families'>,
  caller: Caller,
  merchant: MerchantSetup,
  token: TokenEntry,
  setup: NetworkSetup,
  payTo: string,
  nowMs: number,
): Promise<PayToChoice> {
  const chosen = chooseUnchecked(ports, merchant, token, setup, payTo, nowMs);
  const { payout } = chosen;
  if (payout === undefined || (await isPayoutActivated(ports, caller, { payout, token }))) return chosen;
  return { ok: false, expected: undefined, payout };
}

/** Where a payer signs a whole transaction, it pays one wallet; elsewhere `choosePayTo` decides. */
function chooseUnchecked(
  { families }: Pick<FacilitatorPorts, 'families'>,
  { payouts, takesProcessor }: MerchantSetup,
  token: TokenEntry,
  setup: NetworkSetup,
  payTo: string,
  nowMs: number,
): PayToChoice {
  const family = familyFor(families, token.network);
  if (family === undefined || !takesTransactions(family))
    return choosePayTo(payTo, payouts, token, setup, takesProcessor === true, nowMs);
  const newest = payouts.findLast(({ network, direct }) => network === token.network && direct === undefined);
  const expected = newest && family.transactions.soleRecipient(newest);
  if (newest === undefined || expected === undefined) return { ok: false, expected: undefined, payout: undefined };
  return sameAddress(expected, payTo) ? { ok: true, payout: newest } : { ok: false, expected, payout: newest };
}

function payToRefusal(expected: string | undefined, { shortcode, network }: TokenEntry): SellerRefusal {
  const told =
    expected === undefined
      ? `The account has no wallet of its own for ${shortcode} on ${network}; activate a direct payout first.`
      : `paymentRequirements.payTo must be ${expected}, the account's address for ${shortcode} on ${network}.`;
  return refusal('recipient_mismatch', told);
}

/** As in acceptances of other intents: lanes gather and count payments by the text of their recipient. */
function spellingOf(payTo: string, { setup, payout }: Offer): string {
  return [setup.processor, payout.merchant].find((known) => sameAddress(known, payTo)) ?? payTo;
}

function acceptanceOf(offer: Offer, payTo: string, maxTimeoutSeconds: number): StoredAcceptance {
  const { token, amount, rate, payout, confirmations, minimumUsdMicros, priceEndsAtMs } = offer;
  const { payoutId, merchant, feeBps, splits, direct } = payout;
  return {
    position: 0,
    scheme: 'exact',
    network: token.network,
    token,
    payTo,
    amount,
    payoutId,
    maxTimeoutSeconds,
    confirmations,
    rate,
    shares: { merchant, feeBps, splits },
    ...(direct?.activation && { direct: direct.activation }),
    minimumUsdMicros,
    priceEndsAtMs,
  };
}

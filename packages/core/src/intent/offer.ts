// One token of one intent: what it costs in that token, and whether X402 can take it.
import { type AtomicAmount, agreesWithUsd, type Rate, requiredFromUsd, tokenAmount } from '@svc-pay/money';
import { familyOf } from '@svc-pay/protocol';
import { isBelowMinimum } from '../pricing/below-minimum.ts';
import { sameAddress } from '../token/same-address.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import { confirmationsFor } from './confirmations.ts';
import type { ActivePayout, MerchantSetup, NetworkSetup } from './merchant-setup.ts';
import { type AskedAmount, MAX_PAYABLE_ATOMIC } from './read-amount.ts';

export type PricedToken = { readonly token: TokenEntry; readonly rate: Rate; readonly amount: AtomicAmount };

export type Offer = PricedToken & {
  readonly setup: NetworkSetup;
  readonly payout: ActivePayout;
  /** Blocks, counting its own, before a payment of it is called completed. */
  readonly confirmations: number;
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
  if (asked.usd === null) throw new Error('an intent without an amount');
  const amount = requiredFromUsd(asked.usd, rate).atomic;
  if (amount > MAX_PAYABLE_ATOMIC) return { ok: false, code: 'amount_too_large' };
  return { ok: true, priced: { token, rate, amount } };
}

/** An offer, or the code that says why X402 can't take this token now. */
export function offerToken(
  priced: PricedToken,
  upto: boolean,
  merchant: MerchantSetup,
  networks: ReadonlyMap<string, NetworkSetup>,
): Offer | Unavailable {
  const { token } = priced;
  const setup = networks.get(token.network);
  const family = familyOf(token.network);
  if (family === 'icp' || token.signing === 'none' || setup === undefined) {
    return upto ? 'x402_upto_not_available' : 'x402_not_available_for_token';
  }
  const carriesUpto =
    family === 'evm' && token.signing === 'TransferWithAuthorization' && settlesUpto(setup.processorVersion);
  if (upto && !carriesUpto) {
    return 'x402_upto_not_available';
  }
  if (isBelowMinimum(priced.amount, priced.rate, merchant.minimumUsdMicros))
    return upto ? 'x402_upto_not_available' : 'x402_minimum_amount_not_met';
  const payout = merchant.payouts.findLast(
    ({ network, processor }) => network === token.network && sameAddress(processor, setup.processor),
  );
  if (!setup.ready || payout === undefined) return upto ? 'x402_upto_not_available' : 'x402_temporarily_unavailable';
  return { ...priced, setup, payout, confirmations: confirmationsFor(setup.confirmations, priced) };
}

/** Version 1.3.0 brought `payWithSignatureUpto`. */
export function settlesUpto(version: string | undefined): boolean {
  if (version === undefined) return false;
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major > 1 || (major === 1 && minor >= 3);
}

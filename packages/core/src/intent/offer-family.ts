// What an offer leaves to the chain family that would carry the payment. The package of each family implements it, and
// core is given a list: no rule asks for a family by name.
import type { AtomicAmount, Rate, UsdMicros } from '@svc-pay/money';
import type { AcceptanceExtra, NetworkId } from '@svc-pay/protocol';
import type { Caller } from '../account/authenticate.ts';
import type { PayoutActivation } from '../payout/activation.ts';
import type { ActivePayout, NetworkSetup } from '../payout/merchant-setup.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import type { Intent } from './intent.ts';
import type { RegularFlow } from './regular-family.ts';

export type PricedToken = { readonly token: TokenEntry; readonly rate: Rate; readonly amount: AtomicAmount };

export type Offer = PricedToken & {
  readonly setup: NetworkSetup;
  readonly payout: ActivePayout;
  /** Confirmations, its own block included, before a payment is completed. */
  readonly confirmations: number;
  /** Minimum at the time of the offer: settle compares with it, even if the minimum has changed since. */
  readonly minimumUsdMicros: UsdMicros | null;
  /** End of the rate: no payment is taken at it from then on; null for a fixed rate. */
  readonly priceEndsAtMs: number | null;
};

/** An offer on its way to become an acceptance of an intent. */
export type OfferedPayment = {
  readonly caller: Caller;
  readonly intent: Pick<Intent, 'id' | 'intentCode' | 'expectedSender' | 'payerPublicKey'>;
  readonly offer: Pick<Offer, 'token' | 'amount' | 'setup' | 'payout'>;
  /** Position of the acceptance among those of the intent. */
  readonly position: number;
  /** Validity of the payer's signature as the merchant asks for it. */
  readonly maxTimeoutSeconds: number;
  /** With which a wallet can add the chain. */
  readonly rpcUrlPublic: string | undefined;
};

/** A direct payout of which an acceptance is to be made, or was made. */
export type DirectOffer = {
  readonly network: NetworkId;
  readonly payoutId: bigint;
  readonly asset: string;
  readonly wallet: string;
  /** Undefined for one that can't be read, which is refused. */
  readonly activation: PayoutActivation | undefined;
};

/** The fields of an acceptance that differ between families. */
export type AcceptanceTerms = {
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: AcceptanceExtra;
};

export type OfferFamily = {
  readonly owns: (network: NetworkId) => boolean;
  /** Whether an up-to payment in this token can be settled on the network as it is set up. */
  readonly carriesUpto: (token: TokenEntry, setup: NetworkSetup) => boolean;
  /**
   * Whether both signatures of a direct payout's activation hold now, for this account and mode. False when the chain can't
   * be asked; it never throws. Absent where nothing is paid directly.
   */
  readonly checkPayout?: (caller: Pick<Caller, 'accountId' | 'mode'>, payout: DirectOffer) => Promise<boolean>;
  /** Absent where the payer can't pay by transactions of his own. */
  readonly regular?: RegularFlow;
  /** An unreachable chain leaves out hints of `extra` that a wallet can find by itself; it never throws. */
  readonly acceptanceTerms: (offered: OfferedPayment) => Promise<AcceptanceTerms>;
};

/** The family of a network; undefined where nothing is offered and no payment is taken. */
export function familyFor<Family extends Pick<OfferFamily, 'owns'>>(
  families: readonly Family[],
  network: NetworkId,
): Family | undefined {
  return families.find((family) => family.owns(network));
}

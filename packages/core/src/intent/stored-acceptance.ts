// An acceptance as offered and stored: it decides, whatever a client sends back.
import type { AtomicAmount, Rate, UsdMicros } from '@svc-pay/money';
import type { NetworkId, Scheme } from '@svc-pay/protocol';
import type { PayoutActivation } from '../payout/activation.ts';
import type { PayoutShares } from '../payout/payout.ts';
import type { TokenEntry } from '../token/token-entry.ts';

export type StoredAcceptance = {
  readonly position: number;
  readonly scheme: Scheme;
  readonly network: NetworkId;
  readonly token: TokenEntry;
  readonly payTo: string;
  readonly amount: AtomicAmount;
  readonly payoutId: bigint;
  readonly maxTimeoutSeconds: number;
  /** Confirmations, its own block included, before a payment is completed. */
  readonly confirmations: number;
  /** Rate at which the amount was computed; an up-to settle in dollars uses it again. */
  readonly rate: Rate;
  /** The chain's registry has other terms under this payout than the database: nothing is settled through it. */
  readonly payoutWithdrawn?: true;
  /** Terms of the payout: a bound nonce is recomputed from them. Absent where the payout has no row. */
  readonly shares?: PayoutShares;
  /** Set where `payTo` is the merchant's own wallet. */
  readonly direct?: PayoutActivation;
  /** Minimum at the time of the offer; a later, higher minimum does not refuse the payment. Null for none. */
  readonly minimumUsdMicros: UsdMicros | null;
  /** End of the rate: the acceptance can't be paid from then on; null for a rate without end. */
  readonly priceEndsAtMs: number | null;
};

/** What money that nobody submitted to us is judged by. Of an intent that left unpaid nothing else of its offer is kept. */
export type PaidTerms = Omit<StoredAcceptance, 'maxTimeoutSeconds' | 'rate' | 'minimumUsdMicros'>;

/** True after the end of the rate: a payer needs a new intent at the current rate. */
export function hasPriceEnded({ priceEndsAtMs }: Pick<StoredAcceptance, 'priceEndsAtMs'>, nowMs: number): boolean {
  return priceEndsAtMs !== null && priceEndsAtMs <= nowMs;
}

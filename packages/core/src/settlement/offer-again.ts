// What may be signed for an intent that was created before: its acceptances as they were issued. After payments that failed
// the bound nonce is that of the next attempt, because the authorization of a failed one is used up.
import type { Acceptance, PaymentRequired } from '@svc-pay/protocol';
import { paymentRequiredOf } from '../intent/answer-intent.ts';
import { type Intent, isConfirmed } from '../intent/intent.ts';
import { isPayable } from '../intent/is-payable.ts';
import { hasPriceEnded } from '../intent/stored-acceptance.ts';
import { withAttempt } from '../payment/bound-terms.ts';

type IssuedAcceptance = {
  readonly acceptance: Acceptance;
  /** End of its price: it can't be paid from then on; null for a price without end. */
  readonly priceEndsAtMs: number | null;
  /** Nothing is settled through its payout any more. */
  readonly payoutWithdrawn?: true;
};

export type IssuedOffer = {
  readonly acceptances: readonly IssuedAcceptance[];
  /** Authorizations of the intent that were claimed. While it may be paid, the payments of all of them have failed. */
  readonly claims: number;
};

/**
 * Undefined where nothing is to be signed: the intent is paid, being paid, canceled or expired, or a cap is confirmed.
 * Whoever sees acceptances signs them.
 */
export function offerAgain(
  intent: Intent,
  { acceptances: issued, claims }: IssuedOffer,
  nowMs: number,
): PaymentRequired | undefined {
  if (!isPayable(intent, nowMs) || isConfirmed(intent)) return undefined;
  const open = issued.filter((one) => !hasPriceEnded(one, nowMs) && one.payoutWithdrawn !== true);
  if (open.length === 0 && issued.length > 0) return undefined;
  return paymentRequiredOf(
    intent.id,
    open.map(({ acceptance }) => (claims === 0 ? acceptance : withAttempt(acceptance, claims))),
    issued.length === 0 ? 'x402_not_available_for_token' : '',
  );
}

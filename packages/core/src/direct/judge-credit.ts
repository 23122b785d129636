// Decides whether money that nobody claimed fits the terms of an intent: at the time of its block the intent must have been
// payable, at the acceptance's price.
import type { Intent } from '../intent/intent.ts';
import { hasExpired } from '../intent/is-payable.ts';
import { hasPriceEnded, type StoredAcceptance } from '../intent/stored-acceptance.ts';
import { sameAddress } from '../token/address.ts';

export type CreditedIntent = Pick<Intent, 'status' | 'expiresAtMs' | 'expectedSender'>;

export type CreditRefusal = 'intent_not_payable' | 'intent_expired' | 'price_ended' | 'other_sender';

/** Why the money does not fit the terms of the intent, whatever other payment the intent has. */
export function termsRefusal(
  intent: Pick<CreditedIntent, 'expiresAtMs' | 'expectedSender'>,
  acceptance: Pick<StoredAcceptance, 'priceEndsAtMs'>,
  { payer, blockTimeMs }: { readonly payer: string; readonly blockTimeMs: number },
): Exclude<CreditRefusal, 'intent_not_payable'> | undefined {
  if (hasExpired(intent, blockTimeMs)) return 'intent_expired';
  if (hasPriceEnded(acceptance, blockTimeMs)) return 'price_ended';
  if (intent.expectedSender !== null && !sameAddress(intent.expectedSender, payer)) return 'other_sender';
  return undefined;
}

// Builds the acceptance of the 402 body; the database stores the same object unchanged.
import type { Acceptance } from '@svc-pay/protocol';
import type { Intent } from './intent.ts';
import type { AcceptanceTerms, Offer } from './offer-family.ts';
import type { AcceptanceFlow } from './regular-family.ts';

const PROVIDER = 'svc';

export type AcceptanceRecord = {
  readonly acceptance: Acceptance;
  readonly offer: Offer;
  /** Default: `x402`. */
  readonly flow?: AcceptanceFlow;
};

/** `facilitatorUrl`: base URL to which clients submit settle; null leaves it to the client. */
export function buildAcceptance(
  intent: Pick<Intent, 'id' | 'upto' | 'resource' | 'description' | 'mimeType'>,
  { token, amount }: Pick<Offer, 'token' | 'amount'>,
  { payTo, maxTimeoutSeconds, extra }: AcceptanceTerms,
  facilitatorUrl: string | null,
): Acceptance {
  return {
    scheme: intent.upto ? 'upto' : 'exact',
    network: token.network,
    maxAmountRequired: amount.toString(),
    resource: intent.resource,
    description: intent.description,
    mimeType: intent.mimeType,
    asset: token.address,
    payTo,
    maxTimeoutSeconds,
    extra: { intentId: intent.id, provider: PROVIDER, ledgerId: token.address, facilitatorUrl, ...extra },
  };
}

import { UPTO_CAP_METADATA_KEY } from '@svc-pay/protocol';
import type { Intent } from '../intent/intent.ts';
import type { PaymentClaim } from '../payment/claim-payment.ts';

/**
 * The intent after an authorization is stored on it: its amount is the signed cap, and it expires with the signature.
 */
export function confirmIntent(
  intent: Intent,
  { acceptance, authorization }: Pick<PaymentClaim, 'acceptance' | 'authorization'>,
): Intent {
  return {
    ...intent,
    amount: acceptance.amount,
    ledgerId: acceptance.token.address,
    network: acceptance.network,
    tokenShortcode: acceptance.token.shortcode,
    serviceMetadata: { ...intent.serviceMetadata, [UPTO_CAP_METADATA_KEY]: acceptance.amount.toString() },
    expiresAtMs: Number(authorization.validBefore) * 1_000,
    confirmedPayer: authorization.from.toLowerCase(),
  };
}

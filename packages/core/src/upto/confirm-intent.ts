import { UPTO_CAP_METADATA_KEY } from '@svc-pay/protocol';
import type { Intent } from '../intent/intent.ts';
import type { PaymentClaim } from '../settle/claim-payment.ts';

/** The intent once an authorization is stored on it: it asks for the signed cap, and lives as long as the signature. */
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

// Finds the direct acceptance of an intent to which a nonce is bound, by computing the nonce of each again.
import type { NetworkId } from '@svc-pay/protocol';
import type { Intent } from '../intent/intent.ts';
import type { PaidTerms } from '../intent/stored-acceptance.ts';
import { nonceBinding } from '../payment/bound-terms.ts';
import type { PayoutActivation } from '../payout/activation.ts';
import { sameAddress } from '../token/address.ts';

/** An acceptance that pays the merchant's wallet. */
export type DirectAcceptance = PaidTerms & { readonly direct: PayoutActivation };

export const isDirectAcceptance = (acceptance: PaidTerms): acceptance is DirectAcceptance =>
  acceptance.direct !== undefined;

export function findBoundAcceptance(
  { nonce, network, asset }: { readonly nonce: string; readonly network: NetworkId; readonly asset: string },
  intent: Pick<Intent, 'intentCode'>,
  acceptances: readonly PaidTerms[],
): DirectAcceptance | undefined {
  return acceptances
    .filter(isDirectAcceptance)
    .find(
      (offered) =>
        offered.scheme === 'exact' &&
        offered.network === network &&
        sameAddress(offered.token.address, asset) &&
        nonceBinding(nonce, intent, offered) === 'bound',
    );
}

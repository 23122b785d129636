// What an EVM acceptance asks of a wallet: to sign a transfer of the token to the processor.
import type { AcceptanceTerms, OfferedPayment } from '@svc-pay/core';
import { chainIdOf } from '@svc-pay/protocol';

/** `permitNonce`: the expected payer's nonce at the token, for a Permit. */
export function acceptanceTerms(
  {
    offer: { token, setup },
    maxTimeoutSeconds,
    rpcUrlPublic,
  }: Pick<OfferedPayment, 'offer' | 'maxTimeoutSeconds' | 'rpcUrlPublic'>,
  permitNonce: bigint | undefined,
): AcceptanceTerms {
  return {
    payTo: setup.processor,
    maxTimeoutSeconds,
    extra: {
      ...(token.domain && { name: token.domain.name, eip3009Version: token.domain.version }),
      primaryType: token.signing === 'Permit' ? 'Permit' : 'TransferWithAuthorization',
      rpcChainId: String(chainIdOf(token.network) ?? ''),
      ...(rpcUrlPublic !== undefined && { rpcUrlPublic }),
      ...(permitNonce !== undefined && { permitNonce: permitNonce.toString() }),
    },
  };
}

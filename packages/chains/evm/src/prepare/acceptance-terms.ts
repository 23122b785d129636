// What an EVM acceptance asks of a wallet: to sign a transfer of the token to the processor, or to the merchant's own
// wallet. The nonce that is offered commits to the terms; a payer may take another one.
import { type AcceptanceTerms, directTerms, type OfferedPayment, processorTerms } from '@svc-pay/core';
import { type AcceptanceExtra, chainIdOf } from '@svc-pay/protocol';
import { boundNonce } from '@svc-pay/protocol/bound-nonce';
import { directNonce } from '@svc-pay/protocol/direct-nonce';

type Offered = Pick<OfferedPayment, 'offer' | 'maxTimeoutSeconds' | 'rpcUrlPublic'> & {
  readonly intent: Pick<OfferedPayment['intent'], 'intentCode'>;
};

/** `permitNonce`: the expected payer's nonce at the token, for a Permit. */
export function acceptanceTerms(offered: Offered, permitNonce: bigint | undefined): AcceptanceTerms {
  const { offer, maxTimeoutSeconds, rpcUrlPublic } = offered;
  const { token, setup, payout } = offer;
  const isPermit = token.signing === 'Permit';
  const svc = isPermit ? undefined : boundTermsOf(offered);
  return {
    payTo: payout.direct === undefined ? setup.processor : payout.merchant,
    maxTimeoutSeconds,
    extra: {
      ...(token.domain && { name: token.domain.name, eip3009Version: token.domain.version }),
      primaryType: isPermit ? 'Permit' : 'TransferWithAuthorization',
      rpcChainId: String(chainIdOf(token.network) ?? ''),
      ...(rpcUrlPublic !== undefined && { rpcUrlPublic }),
      ...(permitNonce !== undefined && { permitNonce: permitNonce.toString() }),
      ...(svc && { svc }),
    },
  };
}

/** A payer's first attempt. For another one the client raises `attempt` and computes the nonce again. */
const FIRST_ATTEMPT = 0;

function boundTermsOf({ intent: { intentCode }, offer }: Offered): AcceptanceExtra['svc'] {
  const { token, amount, setup, payout } = offer;
  const { network } = token;
  if (payout.direct !== undefined) {
    const { activation } = payout.direct;
    if (activation === undefined) return undefined;
    const direct = { network, token, amount, direct: activation };
    const terms = directTerms(intentCode, direct, FIRST_ATTEMPT);
    return terms && { authorizationType: 'TransferWithAuthorization', boundNonce: directNonce(terms), terms };
  }
  const { payoutId } = payout;
  const processor = { network, token, payTo: setup.processor, payoutId, shares: payout };
  const terms = processorTerms(intentCode, processor, FIRST_ATTEMPT);
  return terms && { authorizationType: 'ReceiveWithAuthorization', boundNonce: boundNonce(terms), terms };
}

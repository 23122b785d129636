import { isoTime, type RegularWay } from '@svc-pay/core';
import { type SolanaPayOption, solanaPayLink } from '@svc-pay/protocol';

/** Undefined where the address must not be handed on. */
export function solanaPayOption({ terms, endsAtMs, requestUrlOf }: RegularWay): SolanaPayOption | undefined {
  const { network, token, amount } = terms;
  const transactionRequestUrl = requestUrlOf(token.shortcode);
  if (transactionRequestUrl === null) return undefined;
  return {
    kind: 'solana_pay',
    network,
    token: token.address,
    tokenShortcode: token.shortcode,
    decimals: token.unit.decimals,
    amount: amount.toString(),
    expiresAt: isoTime(endsAtMs),
    link: solanaPayLink(transactionRequestUrl),
    transactionRequestUrl,
  };
}

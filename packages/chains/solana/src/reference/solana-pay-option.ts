import { optionFields, type RegularWay } from '@svc-pay/core';
import { type SolanaPayOption, solanaPayLink } from '@svc-pay/protocol';

/** Undefined where the address must not be handed on. */
export function solanaPayOption(way: RegularWay): SolanaPayOption | undefined {
  const transactionRequestUrl = way.requestUrlOf(way.terms.token.shortcode);
  if (transactionRequestUrl === null) return undefined;
  return {
    kind: 'solana_pay',
    ...optionFields(way),
    link: solanaPayLink(transactionRequestUrl),
    transactionRequestUrl,
  };
}

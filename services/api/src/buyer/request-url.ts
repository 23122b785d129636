// Addresses at which wallets fetch the transaction that pays an intent.
import { clientSecretOf, type PayableOwner, type RequestUrlOf } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type { ApiPorts } from '../ports.ts';

const requestPath = (intentId: string): string => `/pay/solana/${intentId}`;

/** The address has a secret that pays: with live money it is given for TLS only. */
export function requestUrlOf(
  { peppers }: Pick<ApiPorts, 'peppers'>,
  owner: PayableOwner,
  intentId: Id<'paymentIntent'>,
  baseUrl: string,
): RequestUrlOf {
  if (owner.mode === 'live' && !baseUrl.startsWith('https://')) return () => null;
  const secret = clientSecretOf(peppers[0], owner, intentId);
  return (tokenShortcode) =>
    `${baseUrl}${requestPath(intentId)}?client_secret=${secret}&token=${encodeURIComponent(tokenShortcode)}`;
}

// A nonce that commits to the terms of the payment. The service offers it with the terms; it is signed only when the terms
// fit the acceptance and hash to exactly this nonce, so nobody can slip other terms under a signature.
import type { Acceptance, Hex } from '@svc-pay/protocol';
import { boundNonce, readBoundTerms } from '@svc-pay/protocol/bound-nonce';
import { SvcPayError } from '../error/svc-pay-error.ts';

/** Undefined when no bound nonce is offered. Throws `acceptance_refused` when it is not what its terms say. */
export function boundNonceOf({ extra, payTo, asset }: Acceptance, chainId: number): Hex | undefined {
  const offered = extra?.svc;
  if (offered === undefined) return undefined;
  const terms = readBoundTerms(offered.terms);
  const fits =
    terms !== undefined &&
    BigInt(terms.chainId) === BigInt(chainId) &&
    isSame(terms.processor, payTo) &&
    isSame(terms.token, asset ?? payTo);
  const nonce = fits ? boundNonce(terms) : undefined;
  if (nonce === undefined || !isSame(nonce, offered.boundNonce)) {
    throw new SvcPayError('acceptance_refused', { reason: 'terms' });
  }
  return nonce;
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

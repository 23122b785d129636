import type { VerifiedTerms } from '@svc-pay/core';
import { signedDigests } from './signed-digests.ts';

/** The nonce, which an EIP-3009 token takes once per payer; a Permit's nonces are counters, so there it is its digest. */
export function uniquePartOf({ header, acceptance }: VerifiedTerms): string {
  const { authorization } = header.payload;
  if (acceptance.token.signing !== 'Permit') return authorization.nonce;
  const [signed] = signedDigests(acceptance.token, authorization);
  if (signed === undefined) throw new Error('a permit without a digest');
  return `0x${Buffer.from(signed.digest).toString('hex')}`;
}

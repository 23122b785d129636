import type { VerifiedTerms } from '@svc-pay/core';
import { signedDigests } from './signed-digests.ts';

/** The nonce, which an EIP-3009 token takes once per payer. A permit's nonces are counters, so its digest is used. */
export function uniquePartOf({ header, acceptance }: VerifiedTerms): string {
  const { authorization } = header.payload;
  if (acceptance.token.signing !== 'Permit') return authorization.nonce;
  const [signed] = signedDigests(acceptance.token, authorization);
  if (signed === undefined)
    throw new Error(`token ${acceptance.token.shortcode}: the permit of ${authorization.from} has no digest`);
  return `0x${Buffer.from(signed.digest).toString('hex')}`;
}

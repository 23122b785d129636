// A nonce that commits to the terms of the payment. The service offers it with the terms; it is signed only when the terms
// fit the acceptance and hash to exactly this nonce, so nobody can slip other terms under a signature.
import type { Acceptance, Hex } from '@svc-pay/protocol';
import { boundNonce, readBoundTerms } from '@svc-pay/protocol/bound-nonce';
import { directNonce, readDirectTerms } from '@svc-pay/protocol/direct-nonce';
import { SvcPayError } from '../error/svc-pay-error.ts';

export type BoundNonce = {
  readonly nonce: Hex;
  /** True: only the recipient, a processor, may submit it. False: it pays the merchant's own wallet, whoever submits it. */
  readonly toProcessor: boolean;
};

/** Undefined when no bound nonce is offered. Throws `acceptance_refused` when it is not what its terms say. */
export function boundNonceOf(acceptance: Acceptance, chainId: number): BoundNonce | undefined {
  const offered = acceptance.extra?.svc;
  if (offered === undefined) return undefined;
  const toProcessor = offered.authorizationType === 'ReceiveWithAuthorization';
  const recompute = toProcessor ? processorNonce : walletNonce;
  const nonce = recompute(offered.terms, acceptance, chainId);
  if (nonce === undefined || !isSame(nonce, offered.boundNonce)) {
    throw new SvcPayError('acceptance_refused', { reason: 'terms' });
  }
  return { nonce, toProcessor };
}

function processorNonce(given: unknown, { payTo, asset }: Acceptance, chainId: number): Hex | undefined {
  const terms = readBoundTerms(given);
  const fits =
    terms !== undefined &&
    BigInt(terms.chainId) === BigInt(chainId) &&
    isSame(terms.processor, payTo) &&
    isSame(terms.token, asset ?? payTo);
  return fits ? boundNonce(terms) : undefined;
}

function walletNonce(
  given: unknown,
  { payTo, asset, maxAmountRequired }: Acceptance,
  chainId: number,
): Hex | undefined {
  const terms = readDirectTerms(given);
  const fits =
    terms !== undefined &&
    BigInt(terms.chainId) === BigInt(chainId) &&
    isSame(terms.wallet, payTo) &&
    isSame(terms.token, asset ?? payTo) &&
    BigInt(terms.amount) === BigInt(maxAmountRequired);
  return fits ? directNonce(terms) : undefined;
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

// Builds the acceptance of the 402 body; the database stores the same object unchanged.
import { type Acceptance, type AcceptanceExtra, chainIdOf, familyOf } from '@svc-pay/protocol';
import { findChain } from '../token/chain.ts';
import type { Intent } from './intent.ts';
import type { Offer } from './offer.ts';
import { TRANSFER_TIMEOUT_SECONDS } from './timeouts.ts';

const PROVIDER = 'svc';

export type AcceptanceRecord = {
  readonly acceptance: Acceptance;
  readonly offer: Offer;
};

export type AcceptanceHints = {
  /** Base URL to which clients submit settle; null leaves it to the client. */
  readonly facilitatorUrl: string | null;
  /** The expected payer's nonce at the token, for a Permit. */
  readonly permitNonce: bigint | undefined;
  /**
   * Set where a whole transaction is signed: the relayer that pays for it, and the transaction once the payer is known.
   */
  readonly transfer: AcceptanceExtra | undefined;
};

export function buildAcceptance(
  intent: Pick<Intent, 'id' | 'upto' | 'resource' | 'description' | 'mimeType'>,
  offer: Offer,
  maxTimeoutSeconds: number,
  { facilitatorUrl, permitNonce, transfer }: AcceptanceHints,
): Acceptance {
  const { token, setup } = offer;
  const usual = { intentId: intent.id, provider: PROVIDER, ledgerId: token.address, facilitatorUrl };
  const rpcUrlPublic = setup.rpcUrlPublic ?? findChain(token.network)?.rpcUrlPublic;
  const shared = {
    scheme: intent.upto ? 'upto' : 'exact',
    network: token.network,
    maxAmountRequired: offer.amount.toString(),
    resource: intent.resource,
    description: intent.description,
    mimeType: intent.mimeType,
    asset: token.address,
  } as const;
  if (familyOf(token.network) === 'solana') {
    const extra = { ...usual, ...(rpcUrlPublic !== undefined && { rpcUrlPublic }), ...transfer };
    return { ...shared, payTo: offer.payout.merchant, maxTimeoutSeconds: TRANSFER_TIMEOUT_SECONDS, extra };
  }
  return {
    ...shared,
    payTo: setup.processor,
    maxTimeoutSeconds,
    extra: {
      ...usual,
      ...(token.domain && { name: token.domain.name, eip3009Version: token.domain.version }),
      primaryType: token.signing === 'Permit' ? 'Permit' : 'TransferWithAuthorization',
      rpcChainId: String(chainIdOf(token.network) ?? ''),
      ...(rpcUrlPublic !== undefined && { rpcUrlPublic }),
      ...(permitNonce !== undefined && { permitNonce: permitNonce.toString() }),
    },
  };
}

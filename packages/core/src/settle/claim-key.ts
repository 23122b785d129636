// One authorization settles once, for ever, for one intent: this is the key under which it is claimed. It is made of
// what the chain itself holds unique, so two spellings of one authorization meet in one claim.
import { createHash } from 'node:crypto';
import type { NetworkId } from '@svc-pay/protocol';

export type ClaimedAuthorization = {
  readonly network: NetworkId;
  readonly asset: string;
  readonly payer: string;
  /** The authorization's nonce; for a Permit, whose nonces repeat over spenders and values, its signed digest. */
  readonly uniquePart: string;
};

export function claimKey({ network, asset, payer, uniquePart }: ClaimedAuthorization): Uint8Array {
  const parts = [
    network,
    ...[asset, payer, uniquePart].map((text) => (text.startsWith('0x') ? text.toLowerCase() : text)),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

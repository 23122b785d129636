// The key under which an authorization is claimed. An authorization settles once, for one intent, for good. The key is
// made of what the chain itself keeps unique, so two encodings of one authorization get the same key.
import { createHash } from 'node:crypto';
import type { NetworkId } from '@svc-pay/protocol';
import { normalizeAddress } from '../token/address.ts';

export type ClaimedAuthorization = {
  readonly network: NetworkId;
  readonly asset: string;
  readonly payer: string;
  /** The authorization's nonce; for a Permit, whose nonces repeat over spenders and values, its signed digest. */
  readonly uniquePart: string;
};

export function claimKey({ network, asset, payer, uniquePart }: ClaimedAuthorization): Uint8Array {
  const parts = [network, ...[asset, payer, uniquePart].map(normalizeAddress)];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

import type { NetworkId } from '@svc-pay/protocol';
import { normalizeAddress } from './address.ts';
import { TOKENS } from './catalogue.ts';
import type { TokenEntry } from './token-entry.ts';

const BY_SHORTCODE: ReadonlyMap<string, TokenEntry> = new Map(TOKENS.map((token) => [token.shortcode, token]));
const BY_ADDRESS: ReadonlyMap<string, TokenEntry> = new Map(
  TOKENS.map((token) => [`${token.network} ${normalizeAddress(token.address)}`, token]),
);

export function findToken(shortcode: string): TokenEntry | undefined {
  return BY_SHORTCODE.get(shortcode);
}

/** The token at an address of the network, in any letter case of hex. */
export function findTokenOf(network: NetworkId, asset: string): TokenEntry | undefined {
  return BY_ADDRESS.get(`${network} ${normalizeAddress(asset)}`);
}

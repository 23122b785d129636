// Tokens that the agent pays in: USDC where the SDK knows its address, and those it is given. A token that is not here is
// refused, because nobody can say what an amount of it is worth.
import { type NetworkId, parseNetwork } from '@svc-pay/protocol';
import { KNOWN_TOKENS } from '../check/known-tokens.ts';
import { AgentPayError } from './agent-error.ts';
import { MAX_DECIMALS } from './units.ts';

/** One whole token counts as 1 of every limit. */
export type AgentToken = {
  /** `eip155:8453`. */
  readonly network: string;
  readonly asset: string;
  readonly decimals: number;
  /**
   * EIP-712 domain of the token; an offer that names another one is refused. Without it the seller's word is taken: a wrong
   * one makes a signature that pays nobody, and counts as spent.
   */
  readonly name?: string;
  readonly version?: string;
};

export type FindToken = (network: NetworkId, asset: string) => AgentToken | undefined;

/** USDC has this domain name everywhere but here. A test holds both to the service's catalogue. */
const DOMAIN_NAME = 'USD Coin';
const OTHER_DOMAIN_NAMES: Readonly<Record<string, string>> = { basesepolia_usdc: 'USDC' };

const DOLLARS: readonly AgentToken[] = Object.entries(KNOWN_TOKENS).flatMap(
  ([shortcode, { network, asset, dollarDecimals: decimals }]) =>
    network.startsWith('eip155:') && decimals !== undefined
      ? [{ network, asset, decimals, name: OTHER_DOMAIN_NAMES[shortcode] ?? DOMAIN_NAME, version: '2' }]
      : [],
);

export function agentTokens(given: readonly AgentToken[]): FindToken {
  const tokens = new Map<string, AgentToken>();
  for (const token of [...DOLLARS, ...given]) {
    const network = parseNetwork(token.network);
    const { decimals } = token;
    if (network === undefined || !Number.isInteger(decimals) || decimals < 0 || decimals > MAX_DECIMALS)
      throw new AgentPayError('invalid_request', { reason: `token ${token.asset} on ${token.network}` });
    tokens.set(keyOf(network, token.asset), token);
  }
  return (network, asset) => tokens.get(keyOf(network, asset));
}

const keyOf = (network: NetworkId, asset: string) => `${network} ${asset.toLowerCase()}`;

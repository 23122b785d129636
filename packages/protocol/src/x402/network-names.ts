// Names of networks in x402. Version 2 has CAIP-2 names, version 1 a list of its own. Both are parsed here and never
// compared directly.
import { type NetworkId, parseNetwork } from '../network/network.ts';

/** CAIP-2 names a Solana cluster by the first 32 characters of its genesis hash; an EVM network's own name is CAIP-2. */
const CAIP2_NAMES: Readonly<Record<string, string>> = {
  'solana:mainnet': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana:devnet': 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
};

/** The names of the published version 1 packages. A chain without a name here can't be paid by a version 1 client. */
const V1_NETWORKS: Readonly<Record<string, string>> = {
  ethereum: 'eip155:1',
  sepolia: 'eip155:11155111',
  abstract: 'eip155:2741',
  'abstract-testnet': 'eip155:11124',
  'base-sepolia': 'eip155:84532',
  base: 'eip155:8453',
  'avalanche-fuji': 'eip155:43113',
  avalanche: 'eip155:43114',
  iotex: 'eip155:4689',
  sei: 'eip155:1329',
  'sei-testnet': 'eip155:1328',
  polygon: 'eip155:137',
  'polygon-amoy': 'eip155:80002',
  peaq: 'eip155:3338',
  story: 'eip155:1514',
  educhain: 'eip155:41923',
  'skale-base-sepolia': 'eip155:324705682',
  solana: 'solana:mainnet',
  'solana-devnet': 'solana:devnet',
};

const V1_NAMES = new Map(Object.entries(V1_NETWORKS).map(([name, network]) => [network, name]));

export function caip2NameOf(network: NetworkId): string {
  return Object.hasOwn(CAIP2_NAMES, network) ? (CAIP2_NAMES[network] as string) : network;
}

/** Undefined where version 1 has no name for the network. */
export function v1NameOf(network: NetworkId): string | undefined {
  return V1_NAMES.get(network);
}

/** Network for any of its names, those of version 1 included. */
export function parseAnyNetwork(name: string): NetworkId | undefined {
  return parseNetwork(Object.hasOwn(V1_NETWORKS, name) ? (V1_NETWORKS[name] as string) : name);
}

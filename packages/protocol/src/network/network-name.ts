import { parseNetwork } from './network.ts';

const NAMES: Readonly<Record<string, string>> = {
  'eip155:1': 'Ethereum',
  'eip155:137': 'Polygon',
  'eip155:8453': 'Base',
  'eip155:31337': 'Anvil',
  'eip155:42161': 'Arbitrum One',
  'eip155:43114': 'Avalanche',
  'eip155:84532': 'Base Sepolia',
  'solana:mainnet': 'Solana',
  'solana:devnet': 'Solana devnet',
  'icp:mainnet': 'Internet Computer',
  'icp:local': 'Local Internet Computer',
};

/** The name of a network for people, by any of its accepted names; undefined for networks that the service does not know. */
export function networkName(network: string): string | undefined {
  return NAMES[parseNetwork(network) ?? ''];
}

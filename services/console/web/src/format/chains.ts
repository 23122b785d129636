// Names of networks. The service's list of tokens has them too; this one also names networks that an account no longer takes.
const NAMES: Readonly<Record<string, string>> = {
  'eip155:1': 'Ethereum',
  'eip155:137': 'Polygon',
  'eip155:8453': 'Base',
  'eip155:31337': 'Anvil',
  'eip155:42161': 'Arbitrum One',
  'eip155:43114': 'Avalanche',
  'eip155:84532': 'Base Sepolia',
  'solana:mainnet': 'Solana',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'Solana',
  'solana:devnet': 'Solana devnet',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'Solana devnet',
  'icp:mainnet': 'Internet Computer',
  'icp:local': 'Internet Computer, local',
};

export const chainName = (chain: string | null | undefined): string => (chain ? (NAMES[chain] ?? chain) : '—');

/** `base_usdc` → `USDC` */
export function symbolOf(shortcode: string | null | undefined): string {
  if (!shortcode) return '';
  return shortcode.slice(shortcode.lastIndexOf('_') + 1).toUpperCase();
}

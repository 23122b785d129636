// A chain the service knows. What an operator runs on it (RPC addresses, processor) is configuration, not data.
import { type NetworkId, parseNetwork } from '@svc-pay/protocol';
import type { Mode } from '../account/mode.ts';

export type Chain = {
  readonly network: NetworkId;
  readonly name: string;
  readonly mode: Mode;
  /** Symbol of the coin that pays for gas. */
  readonly gasSymbol: string;
  /** A public RPC address that a wallet may be given to add the chain; undefined off EVM. */
  readonly rpcUrlPublic?: string;
};

function chain(name: string, network: string, mode: Mode, gasSymbol: string, rpcUrlPublic?: string): Chain {
  const id = parseNetwork(network);
  if (id === undefined) throw new Error(`${name}: ${network} is no network`);
  return { network: id, name, mode, gasSymbol, ...(rpcUrlPublic !== undefined && { rpcUrlPublic }) };
}

export const CHAINS: readonly Chain[] = [
  chain('Ethereum', 'eip155:1', 'live', 'ETH', 'https://cloudflare-eth.com'),
  chain('Base', 'eip155:8453', 'live', 'ETH', 'https://mainnet.base.org'),
  chain('Polygon', 'eip155:137', 'live', 'POL', 'https://polygon-rpc.com'),
  chain('Arbitrum One', 'eip155:42161', 'live', 'ETH', 'https://arb1.arbitrum.io/rpc'),
  chain('Avalanche', 'eip155:43114', 'live', 'AVAX', 'https://api.avax.network/ext/bc/C/rpc'),
  chain('Base Sepolia', 'eip155:84532', 'test', 'ETH', 'https://sepolia.base.org'),
  chain('Anvil', 'eip155:31337', 'test', 'ETH', 'http://127.0.0.1:8545'),
  chain('Solana', 'solana:mainnet', 'live', 'SOL'),
  chain('Solana devnet', 'solana:devnet', 'test', 'SOL'),
  chain('Internet Computer', 'icp:mainnet', 'live', 'ICP'),
];

export function findChain(network: NetworkId): Chain | undefined {
  return CHAINS.find((known) => known.network === network);
}

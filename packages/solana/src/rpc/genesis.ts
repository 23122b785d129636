// A cluster is known by the hash of its first block: a node of another one is never asked about money.
import type { NetworkId } from '@svc-pay/protocol';
import type { SolanaNode } from './solana-node.ts';

const GENESIS_HASHES: Readonly<Record<string, string>> = {
  'solana:mainnet': '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  'solana:devnet': 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
};

/** Places, counted from 1, of the nodes that serve another chain. `genesisHash` where the chain is a local one. */
export async function foreignNodes(
  nodes: readonly SolanaNode[],
  network: NetworkId,
  genesisHash = GENESIS_HASHES[network],
): Promise<readonly number[]> {
  const hashes = await Promise.all(nodes.map((node) => node.genesisHash()));
  return hashes.flatMap((hash, index) => (hash === genesisHash ? [] : [index + 1]));
}

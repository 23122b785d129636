// Identifies a cluster by its genesis hash, so that a node of another cluster is never asked about money.
import { ChainUnavailable } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { type AskNode, askNodeAt } from './post-call.ts';
import { nodeFrom, type SolanaNode } from './solana-node.ts';

const GENESIS_HASHES: Readonly<Record<string, string>> = {
  'solana:mainnet': '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  'solana:devnet': 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
};

/** Positions, counted from 1, of the nodes that serve another chain. A local chain passes its own `genesisHash`. */
export async function foreignNodes(
  nodes: readonly SolanaNode[],
  network: NetworkId,
  genesisHash = GENESIS_HASHES[network],
): Promise<readonly number[]> {
  const hashes = await Promise.all(nodes.map((node) => node.genesisHash()));
  return hashes.flatMap((hash, index) => (hash === genesisHash ? [] : [index + 1]));
}

export type ClusterNode = {
  readonly url: string;
  readonly network: NetworkId;
  /** Genesis hash of a local chain. */
  readonly genesisHash?: string | undefined;
  readonly timeoutMs?: number;
};

/**
 * A node that is asked nothing before its genesis hash was checked; until then, and always if it serves another
 * cluster, every call throws `ChainUnavailable`. Opening it makes no call.
 */
export function openClusterNode({ url, network, genesisHash, timeoutMs }: ClusterNode): SolanaNode {
  const ask = askNodeAt(url, timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const wanted = genesisHash ?? GENESIS_HASHES[network];
  let shown = false;
  const guarded: AskNode = async (method, params) => {
    if (!shown && method !== GENESIS_METHOD) {
      const answer = await ask(GENESIS_METHOD);
      if (!answer.ok || answer.result !== wanted)
        throw new ChainUnavailable(`a node of ${network} serves another chain`);
      shown = true;
    }
    return ask(method, params);
  };
  return nodeFrom(guarded);
}

const GENESIS_METHOD = 'getGenesisHash';
const DEFAULT_TIMEOUT_MS = 5_000;

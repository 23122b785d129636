// Opens the Solana networks for the API's reads. The API signs nothing: settlement has the relayer's key.
import { findChain } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { askFirst } from '../rpc/ask-nodes.ts';
import { openClusterNode } from '../rpc/genesis.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { judgeMint } from './judge-mint.ts';

export type ClusterSettings = {
  readonly rpcUrls: readonly [string, ...string[]];
  /** Recipient of the platform's fee. */
  readonly feeAccount: string;
  /** The program for payments by signed text. */
  readonly program?: string | undefined;
  /** Genesis hash of a local chain. */
  readonly genesisHash?: string | undefined;
};

export type ClusterSettingsByNetwork = ReadonlyMap<NetworkId, ClusterSettings>;

type Mint = { readonly tokenProgram: string; readonly decimals: number };

export type Cluster = {
  readonly network: NetworkId;
  readonly feeAccount: string;
  /** Undefined where payments by signed text are not accepted. */
  readonly program: string | undefined;
  readonly nodes: readonly SolanaNode[];
  /** Undefined for a mint that is not accepted; throws `ChainUnavailable` when no node answers. */
  readonly mintOf: (address: string) => Promise<Mint | undefined>;
};

export function openClusters(settings: ClusterSettingsByNetwork, timeoutMs: number): ReadonlyMap<string, Cluster> {
  return new Map([...settings].map(([network, setup]) => [network, openCluster(network, setup, timeoutMs)]));
}

function openCluster(
  network: NetworkId,
  { rpcUrls, feeAccount, genesisHash, program }: ClusterSettings,
  timeoutMs: number,
): Cluster {
  const nodes = rpcUrls.map((url) => openClusterNode({ url, network, genesisHash, timeoutMs }));
  // A mint's program and decimals never change.
  const known = new Map<string, Mint>();
  return {
    network,
    feeAccount,
    // The program is not audited yet: docs/decisions/0023-solana-program.md.
    program: findChain(network)?.mode === 'test' ? program : undefined,
    nodes,
    mintOf: async (address) => {
      const before = known.get(address);
      if (before !== undefined) return before;
      const [account = null] = await askFirst(nodes, (node) => node.accounts([address]));
      const judged = judgeMint(account);
      if (!judged.ok) return undefined;
      const { tokenProgram, decimals } = judged;
      known.set(address, { tokenProgram, decimals });
      return { tokenProgram, decimals };
    },
  };
}

// The Solana networks that the API asks about transactions. It signs nothing: the relayer's key is settlement's.
import { findChain } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { askFirst, judgeMint, openClusterNode, type SolanaNode } from '@svc-pay/solana';

export type ClusterSettings = {
  readonly rpcUrls: readonly [string, ...string[]];
  /** Who gets the platform's fee. */
  readonly feeAccount: string;
  /** Where wallets may pay by a signed text. */
  readonly program?: string | undefined;
  /** Of a local chain. */
  readonly genesisHash?: string | undefined;
};

export type ClusterSettingsByNetwork = ReadonlyMap<NetworkId, ClusterSettings>;

type Mint = { readonly tokenProgram: string; readonly decimals: number };

export type Cluster = {
  readonly network: NetworkId;
  readonly feeAccount: string;
  /** Undefined where no text is taken. */
  readonly program: string | undefined;
  readonly nodes: readonly SolanaNode[];
  /** Undefined for a mint whose tokens can't be taken; throws `ChainUnavailable` when no node answers. */
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
    // No auditor has seen it yet: docs/decisions/0023-solana-program.md.
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

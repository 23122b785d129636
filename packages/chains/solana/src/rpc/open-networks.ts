// Opens the Solana networks on which this process settles, with their nodes.
import { ChainUnavailable, findChain, gasCoinRate, type Mode, type WatchLog } from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { foreignNodes, openClusterNode } from './genesis.ts';
import { openNode, type SolanaNode } from './solana-node.ts';

export type OpenSolana = {
  readonly network: NetworkId;
  readonly mode: Mode;
  /** No node is asked anything before its genesis hash was checked. */
  readonly nodes: readonly SolanaNode[];
  readonly gasCoin: Rate | undefined;
};

/** A network as an operator configures it. Without `rpcUrls` this process does not settle on it. */
export type SolanaNetworkSetup = {
  readonly rpcUrls?: readonly string[] | undefined;
  /** Genesis hash of a local chain. */
  readonly genesisHash?: string | undefined;
  /** Price of one SOL, in dollars as text. */
  readonly gasCoinUsd?: string | undefined;
};

type OpenOptions = { readonly timeoutMs: number; readonly nowMs: number; readonly log: WatchLog };

const SOL_DECIMALS = 9;

/** Opens the networks with RPC URLs. Throws for a node of another chain; a silent node is checked later. */
export async function openSolana(
  setups: readonly (readonly [NetworkId, SolanaNetworkSetup])[],
  { timeoutMs, nowMs, log }: OpenOptions,
): Promise<readonly OpenSolana[]> {
  const opened: OpenSolana[] = [];
  for (const [network, setup] of setups) {
    const chain = findChain(network);
    if (chain === undefined || setup.rpcUrls === undefined || setup.rpcUrls.length === 0) continue;
    const { rpcUrls, genesisHash, gasCoinUsd } = setup;
    for (const [index, url] of rpcUrls.entries()) {
      const place = { network, endpoint: index + 1 };
      try {
        const foreign = await foreignNodes([openNode(url, timeoutMs)], network, genesisHash);
        if (foreign.length > 0)
          throw new Error(`RPC endpoint ${place.endpoint} of ${network} serves another chain: correct rpcUrls`);
      } catch (problem) {
        if (!(problem instanceof ChainUnavailable)) throw problem;
        log('rpc_endpoint_failing', { ...place, trouble: 'no answer at start' });
      }
    }
    opened.push({
      network,
      mode: chain.mode,
      nodes: rpcUrls.map((url) => openClusterNode({ url, network, genesisHash, timeoutMs })),
      gasCoin: gasCoinUsd === undefined ? undefined : gasCoinRate(chain.gasSymbol, SOL_DECIMALS, gasCoinUsd, nowMs),
    });
  }
  return opened;
}

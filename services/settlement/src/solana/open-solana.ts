// The Solana networks that this process settles on, with the ways to their nodes.
import { isSolana, type OperatedNetworks } from '@svc-pay/config/networks';
import { ChainUnavailable, findChain, type Mode } from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { foreignNodes, openClusterNode, openNode, type SolanaNode } from '@svc-pay/solana';
import { gasCoinRate } from '../gas-coin.ts';
import type { OpenOptions } from '../open-networks.ts';

export type OpenSolana = {
  readonly network: NetworkId;
  readonly mode: Mode;
  /** Each is asked nothing before it has shown that it serves this network. */
  readonly nodes: readonly SolanaNode[];
  readonly gasCoin: Rate | undefined;
};

const SOL_DECIMALS = 9;

/** Those that name their nodes. Throws for a node of another chain; one that does not answer is asked again later. */
export async function openSolana(
  operated: OperatedNetworks,
  { timeoutMs, nowMs, log }: Pick<OpenOptions, 'timeoutMs' | 'nowMs' | 'log'>,
): Promise<readonly OpenSolana[]> {
  const opened: OpenSolana[] = [];
  for (const [network, setup] of operated) {
    const chain = findChain(network);
    if (!isSolana(setup) || chain === undefined || setup.rpcUrls === undefined || setup.rpcUrls.length === 0) continue;
    const { rpcUrls, genesisHash, gasCoinUsd } = setup;
    for (const [index, url] of rpcUrls.entries()) {
      const place = { network, endpoint: index + 1 };
      try {
        const foreign = await foreignNodes([openNode(url, timeoutMs)], network, genesisHash);
        if (foreign.length > 0) throw new Error(`node ${place.endpoint} of ${network} serves another chain`);
      } catch (problem) {
        if (!(problem instanceof ChainUnavailable)) throw problem;
        log('warn', place, 'RPC endpoint: no answer at start');
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

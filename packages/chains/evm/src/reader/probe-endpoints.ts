// The RPC endpoints of an EVM network, each asked for its chain, its latest block and its finalized block.
import { type NodeProbe, probeNodes } from '@svc-pay/core';
import { chainIdOf } from '@svc-pay/protocol';
import { askChain, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { OpenNetwork } from '../send/open-networks.ts';
import { createReaderNode } from './reader-node.ts';

export function createEndpointProbe({ network, endpoints }: Pick<OpenNetwork, 'network' | 'endpoints'>): NodeProbe {
  const chainId = BigInt(chainIdOf(network) ?? 0);
  return {
    network,
    readNodes: () =>
      probeNodes(endpoints, async (rpc) => {
        const [served] = await askChain(rpc, [{ method: 'eth_chainId', params: [] }]);
        if (quantityOf(resultOf(served)) !== chainId) return 'other_chain';
        const { head, finalized } = await createReaderNode(rpc).readHeads();
        return {
          head: head.number,
          headSeconds: head.timeSeconds,
          finalHead: finalized.number,
          finalSeconds: finalized.timeSeconds,
        };
      }),
  };
}

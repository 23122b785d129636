// The nodes of a Solana network, each asked for its latest slot and its latest final one. A node of another cluster answers
// nothing.
import { type NodeProbe, probeNodes } from '@svc-pay/core';
import type { OpenSolana } from '../rpc/open-networks.ts';

export function createClusterProbe({ network, nodes }: Pick<OpenSolana, 'network' | 'nodes'>): NodeProbe {
  return {
    network,
    readNodes: () =>
      probeNodes(nodes, async (node) => {
        const [head, finalHead] = await Promise.all([node.slot('confirmed'), node.slot('finalized')]);
        return { head, finalHead };
      }),
  };
}

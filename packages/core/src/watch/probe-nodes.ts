import { ChainUnavailable } from '../lane/lane-chain.ts';
import type { NodeReading } from '../operator/node-readings.ts';

/** What a node tells of its chain. */
export type NodeHeads = {
  readonly head: bigint;
  readonly headSeconds?: bigint | undefined;
  readonly finalHead: bigint;
  readonly finalSeconds?: bigint | undefined;
};

/** Asks each node by itself, all at once. `other_chain`: the node serves another one. */
export function probeNodes<Node>(
  nodes: readonly Node[],
  ask: (node: Node) => Promise<NodeHeads | 'other_chain'>,
  nowMs: () => number = () => performance.now(),
): Promise<readonly NodeReading[]> {
  const probe = async (node: Node, index: number): Promise<NodeReading> => {
    const [endpoint, startedMs] = [index + 1, nowMs()];
    const silent = (otherChain: boolean) =>
      ({ endpoint, tookMs: nowMs() - startedMs, answered: false, otherChain }) as const;
    try {
      const heads = await ask(node);
      if (heads === 'other_chain') return silent(true);
      const { headSeconds, finalSeconds } = heads;
      return { endpoint, tookMs: nowMs() - startedMs, answered: true, ...heads, headSeconds, finalSeconds };
    } catch (problem) {
      if (problem instanceof ChainUnavailable) return silent(false);
      throw problem;
    }
  };
  return Promise.all(nodes.map(probe));
}

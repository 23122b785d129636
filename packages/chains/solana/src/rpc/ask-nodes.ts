// Calls the nodes of one network: questions that decide a payment go to every node, others to the first that answers.
import { ChainUnavailable } from '@svc-pay/core';
import type { SolanaNode } from './solana-node.ts';

/** The answers of the nodes that answered, in the order of the nodes. */
export async function askEvery<Answer>(
  nodes: readonly SolanaNode[],
  ask: (node: SolanaNode) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const settled = await Promise.allSettled(nodes.map(ask));
  return settled.flatMap((result) => {
    if (result.status === 'fulfilled') return [result.value];
    if (result.reason instanceof ChainUnavailable) return [];
    throw result.reason;
  });
}

/** Asks one node after the other until one answers. Throws `ChainUnavailable` when none does. */
export async function askFirst<Answer>(
  nodes: readonly SolanaNode[],
  ask: (node: SolanaNode) => Promise<Answer>,
): Promise<Answer> {
  let last: ChainUnavailable | undefined;
  for (const node of nodes) {
    try {
      return await ask(node);
    } catch (problem) {
      if (!(problem instanceof ChainUnavailable)) throw problem;
      last = problem;
    }
  }
  throw last ?? new ChainUnavailable('the network has no node');
}

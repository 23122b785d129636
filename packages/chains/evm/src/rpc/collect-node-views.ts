// Collects one view per node. The answers of one view must fit together, and answers of two nodes need not, so each
// node answers all questions of its view. The caller compares the views.
import { ChainUnavailable } from '@svc-pay/core';
import { votesOf } from './votes-of.ts';

/** At most this many endpoints vote on one question. */
export const MAX_VOTERS = 3;
const PATIENCE_MS = 2_000;

/**
 * The views of the nodes that finished, at least one. A node that throws, or that takes longer than `patienceMs` after
 * the first view, has no vote. Throws `ChainUnavailable` when no node finished.
 */
export async function collectNodeViews<Node, View>(
  nodes: readonly Node[],
  ask: (node: Node) => Promise<View>,
  patienceMs = PATIENCE_MS,
): Promise<readonly [View, ...View[]]> {
  const problems: unknown[] = [];
  const asked = nodes.slice(0, MAX_VOTERS).map(async (node) => {
    try {
      return await ask(node);
    } catch (problem) {
      problems.push(problem);
      throw problem;
    }
  });
  const [first, ...others] = await votesOf(asked, patienceMs);
  if (first === undefined) throw new ChainUnavailable('no node answered all questions', { cause: problems[0] });
  return [first, ...others];
}

/** Asks one node after the other and returns the first complete view. Throws `ChainUnavailable` if none does. */
export async function firstNodeView<Node, View>(
  nodes: readonly Node[],
  ask: (node: Node) => Promise<View>,
): Promise<readonly [View]> {
  let cause: unknown;
  for (const node of nodes) {
    try {
      return [await ask(node)];
    } catch (problem) {
      cause ??= problem;
    }
  }
  throw new ChainUnavailable('no node answered all questions', { cause });
}

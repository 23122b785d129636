// Asks every node the same. A node that fails has no vote; a node that answers without knowing counts as one that answered.
import { ChainUnavailable } from '../lane/lane-chain.ts';
import { agreeOnBlock } from './agree-on-range.ts';
import type { BlockRef, ReaderNode } from './reader-chain.ts';

export type NodeAnswer<Answer> = { readonly node: ReaderNode; readonly answer: Answer };
export type NodeAnswers<Answer> = {
  readonly answers: readonly NodeAnswer<Answer>[];
  readonly problems: readonly unknown[];
};

export async function askNodes<Answer>(
  nodes: readonly ReaderNode[],
  ask: (node: ReaderNode) => Promise<Answer>,
): Promise<NodeAnswers<Answer>> {
  const settled = await Promise.allSettled(nodes.map(ask));
  const answers: NodeAnswer<Answer>[] = [];
  const problems: unknown[] = [];
  for (const [index, result] of settled.entries()) {
    const node = nodes[index];
    if (result.status === 'rejected') problems.push(result.reason);
    else if (node !== undefined) answers.push({ node, answer: result.value });
  }
  return { answers, problems };
}

/** Throws `ChainUnavailable` when no node answers. */
export async function askAnswering<Answer>(
  nodes: readonly ReaderNode[],
  ask: (node: ReaderNode) => Promise<Answer>,
): Promise<readonly NodeAnswer<Answer>[]> {
  const { answers, problems } = await askNodes(nodes, ask);
  if (answers.length === 0) throw new ChainUnavailable('no node answers', { cause: problems[0] });
  return answers;
}

/** The blocks of these numbers that a quorum of nodes has, in their order; undefined where there is no quorum. */
export async function readAgreedBlocks(
  nodes: readonly ReaderNode[],
  numbers: readonly bigint[],
): Promise<readonly (BlockRef | undefined)[]> {
  if (numbers.length === 0) return [];
  const answers = await askAnswering(nodes, (node) => node.readBlocks(numbers));
  return numbers.map((_, index) => agreeOnBlock(answers.map(({ answer }) => answer[index])));
}

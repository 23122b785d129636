// Reads one range of blocks at every node, and says what they agree on.
import { agreeOnEnds, agreeOnLogs, type EndsView } from './agree-on-range.ts';
import { askAnswering, askNodes } from './ask-nodes.ts';
import { digestLogs } from './digest-logs.ts';
import type { MoneyLog } from './money-log.ts';
import { type BlockRef, RangeTooLarge, type ReaderNode, type ReaderSource } from './reader-chain.ts';

export type RangeToRead = {
  /** The last block that is read already. */
  readonly from: BlockRef;
  readonly to: bigint;
  readonly sources: readonly ReaderSource[];
  /** Every block of the range is final. */
  readonly isFinal: boolean;
};

export type RangeVerdict =
  | {
      readonly verdict: 'agreed';
      readonly end: BlockRef;
      readonly logs: readonly MoneyLog[];
      /** Equal for equal readings: of the last block, so of every block below it, and of the logs. */
      readonly digest: string;
      /** Set where one node answered alone, and no other confirmed it. */
      readonly alone: ReaderNode | undefined;
    }
  | { readonly verdict: 'reorg' | 'too_large' | 'contradicted' | 'unknown' };

export async function readRange(nodes: readonly ReaderNode[], range: RangeToRead): Promise<RangeVerdict> {
  const { from, to, sources, isFinal } = range;
  const ends = await askAnswering(nodes, async (node): Promise<EndsView & { readonly node: ReaderNode }> => {
    const [cursor, end] = await node.readBlocks([from.number, to]);
    return { node, cursor, end };
  });
  const views = ends.map(({ answer }) => answer);
  const judged = agreeOnEnds(from, views);
  // Near the head nodes are on different forks for a moment.
  if (judged.verdict === 'contradicted' && !isFinal) return { verdict: 'unknown' };
  if (judged.verdict !== 'follows') return judged;
  const { end, voters } = judged;
  const asked = voters.map(({ node }) => node);
  const { answers, problems } = await askNodes(asked, async (node) => {
    const logs = await node.readLogs({ from: from.number + 1n, to }, sources);
    // Without it the logs may be of one fork and the block of another: a reorg reaches all nodes at about the same time.
    const [after] = isFinal ? [end] : await node.readBlocks([to]);
    return after?.hash === end.hash ? { digest: digestLogs(logs), logs } : undefined;
  });
  const isTooLarge = problems.some((problem) => problem instanceof RangeTooLarge);
  // A node that refuses a single block has no vote.
  if (isTooLarge && (to > from.number + 1n || answers.length === 0)) return { verdict: 'too_large' };
  // Nodes that lack a block, or show another, have answered: they keep a single voter from deciding alone.
  const answered = views.length - problems.length;
  const logs = agreeOnLogs(
    answers.map(({ answer }) => answer),
    answered,
  );
  if (logs.verdict !== 'agreed') return logs;
  const alone = answered === 1 ? answers[0]?.node : undefined;
  return { ...logs, end, digest: `${end.hash} ${logs.digest}`, alone };
}

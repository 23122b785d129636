// Compares what nodes show of a range of blocks. A node without the last block of the range has no vote: its empty answer
// would only say that it lags.
import { majorityOf } from '../finality/quorum.ts';
import type { MoneyLog } from './money-log.ts';
import type { BlockRef } from './reader-chain.ts';

/** The blocks of one node at the cursor and at the end of the range; undefined where it has none. */
export type EndsView = { readonly cursor: BlockRef | undefined; readonly end: BlockRef | undefined };

export type EndsVerdict<View> =
  /** The chain still has the block at the cursor. `voters` show the same block at the end of the range. */
  | { readonly verdict: 'follows'; readonly end: BlockRef; readonly voters: readonly View[] }
  /** The chain has another block at the cursor. */
  | { readonly verdict: 'reorg' }
  /** Nodes contradict each other: nothing is concluded. */
  | { readonly verdict: 'contradicted' }
  /** Too few nodes have the blocks. */
  | { readonly verdict: 'unknown' };

/** `views` are of all nodes that answered. */
export function agreeOnEnds<View extends EndsView>(
  from: Pick<BlockRef, 'hash'>,
  views: readonly View[],
): EndsVerdict<View> {
  const known = views.filter(({ cursor }) => cursor !== undefined);
  const atCursor = majorityOf(known, ({ cursor }) => cursor?.hash ?? '', views.length);
  if (atCursor === undefined) return { verdict: verdictOf(known.map(({ cursor }) => cursor?.hash)) };
  if (atCursor[0].cursor?.hash !== from.hash) return { verdict: 'reorg' };
  const reaching = atCursor.filter(({ end }) => end !== undefined);
  const voters = majorityOf(reaching, ({ end }) => `${end?.hash} ${end?.timeSeconds}`, views.length);
  const end = voters?.[0].end;
  if (voters === undefined || end === undefined) return { verdict: verdictOf(reaching.map((view) => view.end?.hash)) };
  return { verdict: 'follows', end, voters };
}

const verdictOf = (hashes: readonly (string | undefined)[]) => (new Set(hashes).size > 1 ? 'contradicted' : 'unknown');

/** The logs of one node, with their digest; undefined where its chain changed while it was asked. */
export type LogsView = { readonly digest: string; readonly logs: readonly MoneyLog[] } | undefined;

export type LogsVerdict =
  | { readonly verdict: 'agreed'; readonly digest: string; readonly logs: readonly MoneyLog[] }
  | { readonly verdict: 'contradicted' | 'unknown' };

/** `answered` counts the nodes that answered every question, also those that lack the blocks. */
export function agreeOnLogs(views: readonly LogsView[], answered: number): LogsVerdict {
  const known = views.filter((view) => view !== undefined);
  const agreed = majorityOf(known, ({ digest }) => digest, answered);
  if (agreed === undefined) return { verdict: verdictOf(known.map(({ digest }) => digest)) };
  return { verdict: 'agreed', ...agreed[0] };
}

/** The block that a quorum of nodes has; undefined without a quorum. `views` are of all nodes that answered. */
export function agreeOnBlock(views: readonly (BlockRef | undefined)[]): BlockRef | undefined {
  const known = views.filter((block) => block !== undefined);
  return majorityOf(known, ({ hash, timeSeconds }) => `${hash} ${timeSeconds}`, views.length)?.[0];
}

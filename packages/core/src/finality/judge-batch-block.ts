// Decides which block holds a recorded batch now. One node answers all questions of its node view, because one node's
// final height says nothing about the blocks of a node on another fork; then the node views are compared.

import type { MinedBatch, MinedItem } from '../lane/lane-chain.ts';
import type { BatchBlock } from './finality-store.ts';
import { majorityOf, viewKey, votesNeeded } from './quorum.ts';

export type BlockView = {
  readonly finalizedNumber: bigint;
  /** Hash of the node's block at the recorded height; undefined when the node has none there. */
  readonly hash: string | undefined;
};

/**
 * `not_final`: still in its block, which is not final yet. `unknown`: too few nodes have a block at that height. `unread`:
 * on this chain only the transactions tell.
 */
export type BlockVerdict = 'final' | 'not_final' | 'gone' | 'contradicted' | 'unknown' | 'unread';

/** Compares block hashes only: a hash determines everything in the block. */
export function judgeBlock({ blockNumber, blockHash }: BatchBlock, views: readonly BlockView[]): BlockVerdict {
  const needed = votesNeeded(views.length);
  const here = views.filter(({ hash }) => hash === blockHash);
  const elsewhere = views.filter(({ hash }) => hash !== undefined && hash !== blockHash);
  if (elsewhere.length >= needed && elsewhere.length > here.length) return 'gone';
  if (here.length >= needed && here.length > elsewhere.length) {
    return here.filter(({ finalizedNumber }) => finalizedNumber >= blockNumber).length >= needed
      ? 'final'
      : 'not_final';
  }
  return here.length > 0 && elsewhere.length > 0 ? 'contradicted' : 'unknown';
}

export type BatchView = BlockView & {
  /** The batch by the node's own receipts; undefined when the node has none of its transactions. */
  readonly mined: MinedBatch | undefined;
};

export type BatchVerdict =
  | { readonly verdict: 'final'; readonly mined: MinedBatch }
  /** Mined in another block or with another outcome; the confirmations are the fewest that an agreeing node counts. */
  | { readonly verdict: 'moved'; readonly mined: MinedBatch }
  /** `absent`: no longer on the chain. `unknown`: no node has the transaction, and it may still be mined. */
  | { readonly verdict: 'absent' | 'not_final' | 'unknown' }
  /** Nodes contradict each other, a node contradicts itself, or there is no quorum: nothing is concluded. */
  | { readonly verdict: 'contradicted' };

type Sighting = BatchView & { readonly where: 'recorded' | 'moved' | 'absent' };

export function judgeBatch(batchBlock: BatchBlock, views: readonly BatchView[]): BatchVerdict {
  const agreed = majorityOf(
    views.flatMap((view) => sightingOf(batchBlock, view)),
    ({ where, mined }) => viewKey({ where, mined: mined && comparedOf(mined) }),
    views.length,
  );
  if (agreed === undefined) return { verdict: 'contradicted' };
  const [{ where }] = agreed;
  const [first, ...others] = agreed.flatMap((view) => view.mined ?? []);
  if (where === 'absent' || first === undefined) return { verdict: 'absent' };
  const mined = withSafestExplanation([first, ...others]);
  if (where === 'moved') {
    const confirmations = agreed.map((view) => view.mined?.confirmations ?? 0n);
    return { verdict: 'moved', mined: { ...mined, confirmations: confirmations.reduce(lower) } };
  }
  const final = agreed.filter(({ finalizedNumber }) => finalizedNumber >= batchBlock.blockNumber);
  return final.length >= votesNeeded(views.length) ? { verdict: 'final', mined } : { verdict: 'not_final' };
}

/** Empty for a node without a block at that height, or whose receipt and block contradict each other. */
function sightingOf({ blockHash }: BatchBlock, view: BatchView): readonly Sighting[] {
  const { hash, mined } = view;
  if (hash === undefined) return [];
  if (hash === blockHash) return mined?.blockHash === blockHash ? [{ ...view, where: 'recorded' }] : [];
  if (mined === undefined) return [{ ...view, where: 'absent' }];
  return mined.blockHash === blockHash ? [] : [{ ...view, where: 'moved' }];
}

const lower = (one: bigint, other: bigint) => (one < other ? one : other);

// A receipt does not say why a transaction with one payment reverted: a node with old states answers by the state of
// that block, another node by the current state. These explanations, and the fee recipient, may differ for good between
// nodes that agree on the transaction, so no verdict may wait until they are equal.

/** Safest first: the first two hold and trace the payment, the third queues it again, the last fails it. */
const EXPLANATIONS: readonly MinedItem['outcome'][] = [
  'intent_already_settled',
  'authorization_used',
  'refused_for_now',
  'reverted_alone',
];

/** The fields on which nodes must agree. Confirmations are not compared. */
function comparedOf(mined: MinedBatch): unknown {
  if (mined.items.some(({ outcome }) => outcome === 'settled')) return mined;
  // No payment settled, so no fee is paid and the recipient does not matter.
  const unpaid = { ...mined, feeRecipient: '' };
  if (!mined.reverted) return unpaid;
  const items = mined.items.map(({ paymentId, outcome }) => [paymentId, rankOf(outcome) < 0 ? outcome : 'explained']);
  return { ...unpaid, items };
}

/** Merges batches that agree on the compared fields, with the safest explanation of each item. */
function withSafestExplanation([first, ...others]: readonly [MinedBatch, ...MinedBatch[]]): MinedBatch {
  if (!first.reverted) return first;
  const items = first.items.map((item, index) =>
    others
      .flatMap((other) => other.items[index] ?? [])
      .reduce((safest, told) => (rankOf(told.outcome) < rankOf(safest.outcome) ? told : safest), item),
  );
  return { ...first, items };
}

const rankOf = (outcome: MinedItem['outcome']) => EXPLANATIONS.indexOf(outcome);

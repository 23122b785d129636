// Decides what the chain's verdict about a recorded batch means. Blocks are judged first, because one hash answers for
// every batch in the block; only a batch that its block does not decide is searched by its transactions.
import { isConfirmedBatch } from '../lane/is-confirmed.ts';
import type { UnsettledOutcome } from '../lane/judge-item.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';
import { type AgeingBatch, type BatchBlock, hasSameOutcome, outcomesOf, type RecordedBatch } from './finality-store.ts';
import type { BatchVerdict, BlockVerdict } from './judge-batch-block.ts';

export type BatchDecision =
  | { readonly action: 'wait' }
  /** The nodes contradict each other: the batch waits, and the contradiction is logged. */
  | { readonly action: 'report' }
  /** The batch is final; the outcomes are those of its open items, in their order. */
  | { readonly action: 'finish'; readonly outcomes: readonly UnsettledOutcome[] }
  /** The batch is recorded in its new block. */
  | { readonly action: 'move'; readonly mined: MinedBatch }
  /** The payments of the batch are pending again. */
  | { readonly action: 'reverse' };

/** The block does not decide: the batch is searched by its transactions. */
export type BatchSearch =
  | { readonly action: 'search_record'; readonly blockVerdict: 'gone' | 'unread' }
  /** The block is final. Only the open items are searched: the other payments have their result. */
  | { readonly action: 'search_open_items'; readonly batch: AgeingBatch };

const WAIT: BatchDecision = { action: 'wait' };

const REPORT: BatchDecision = { action: 'report' };
const REVERSE: BatchDecision = { action: 'reverse' };

export function decideOnBlock(batch: BatchBlock | AgeingBatch, verdict: BlockVerdict): BatchDecision | BatchSearch {
  if (verdict === 'gone' || verdict === 'unread') return { action: 'search_record', blockVerdict: verdict };
  if (verdict === 'contradicted') return REPORT;
  if (verdict !== 'final' || !isAgeing(batch)) return WAIT;
  return batch.openItems.length === 0 ? { action: 'finish', outcomes: [] } : { action: 'search_open_items', batch };
}

/**
 * Decides about a batch that its block did not decide. A batch is not finished, which is irreversible, in the run in which
 * its block was gone: the next run judges the block again.
 */
export function decideOnRecorded(
  block: BatchBlock | AgeingBatch,
  blockVerdict: 'gone' | 'unread',
  recorded: Pick<RecordedBatch, 'items' | 'settledIds' | 'transactionId'>,
  judged: BatchVerdict,
): BatchDecision {
  if (judged.verdict === 'final') {
    if (blockVerdict === 'gone' || !isAgeing(block)) return WAIT;
    return { action: 'finish', outcomes: outcomesOf(block, judged.mined) };
  }
  if (judged.verdict === 'moved') {
    const { mined } = judged;
    // Under another transaction id the payments are reversed: a merchant who was told one is told of the other. A refund is
    // no payment that could be booked in the new block: its lane records the batch again.
    const isSame =
      recorded.items.every(({ refund }) => refund === undefined) &&
      mined.transactionId === recorded.transactionId &&
      hasSameOutcome(recorded, mined) &&
      isConfirmedBatch(mined, recorded.items);
    return isSame ? { action: 'move', mined } : REVERSE;
  }
  if (judged.verdict === 'absent') return REVERSE;
  return judged.verdict === 'contradicted' ? REPORT : WAIT;
}

/**
 * Decides about the open items of a batch whose block is final. Throws for a verdict that denies the block: the nodes
 * contradict what they said of it.
 */
export function decideOnOpenItems(batch: AgeingBatch, judged: BatchVerdict): BatchDecision {
  const { verdict } = judged;
  if (verdict === 'final') return { action: 'finish', outcomes: outcomesOf(batch, judged.mined) };
  if (verdict === 'not_final' || verdict === 'unknown') return WAIT;
  throw new Error(`batch ${batch.id} is final and its receipts are ${verdict}`);
}

function isAgeing(batch: BatchBlock | AgeingBatch): batch is AgeingBatch {
  return 'openItems' in batch;
}

// Decides about payments that did not settle: failed, held, or queued again. A payment of a reverted batch is queued
// again before the revert is final. Until it is final, a reorg may revive the reverted transaction and move the money,
// so the payment neither fails nor leaves `held` before that.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { type BatchStatus, ENDED_BATCH } from '../lane/batch-transitions.ts';
import { type Judgement, judgeItem, type UnsentOutcome } from '../lane/judge-item.ts';
import type { LaneItem } from '../lane/lane.ts';
import type { FailedItem } from '../ledger/payment-result.ts';

/** Statuses of the reverted batches of each payment, by payment id. */
export type RevertedBatches = ReadonlyMap<string, readonly BatchStatus[]>;

const ENDED: ReadonlySet<BatchStatus> = new Set(ENDED_BATCH);

/** Whether a reverted batch may still settle the payment. */
export function isRevivable({ paymentId }: Pick<LaneItem, 'paymentId'>, reverted: RevertedBatches): boolean {
  return (reverted.get(paymentId) ?? []).some((status) => !ENDED.has(status));
}

/** Of an item that was never sent, or that a finalized block shows unsettled. */
export function judgeUnsettled(item: LaneItem, outcome: UnsentOutcome, reverted: RevertedBatches): Judgement {
  const judgement = judgeItem(item, outcome);
  return judgement.end === 'failed' && isRevivable(item, reverted) ? { end: 'held' } : judgement;
}

/** A held payment with a revivable batch stays held: a lane would only hold it again. */
export function mayQueueHeld(item: Pick<LaneItem, 'paymentId'>, reverted: RevertedBatches): boolean {
  return !isRevivable(item, reverted);
}

/** `refusal`: why the chain refused a direct payment; null for a payment that is held for another reason. */
export type HeldItem = { readonly item: LaneItem; readonly refusal: ErrorCode | null };

export type JudgedItems = {
  readonly failed: readonly FailedItem[];
  readonly held: readonly HeldItem[];
  readonly queued: readonly LaneItem[];
};

/** Items by what becomes of them. */
export function judgeUnsettledItems(
  unsettled: readonly { readonly item: LaneItem; readonly outcome: UnsentOutcome }[],
  reverted: RevertedBatches,
): JudgedItems {
  const failed: FailedItem[] = [];
  const held: HeldItem[] = [];
  const queued: LaneItem[] = [];
  for (const { item, outcome } of unsettled) {
    const judgement = judgeUnsettled(item, outcome, reverted);
    if (judgement.end === 'failed') failed.push({ item, code: judgement.code });
    else if (judgement.end === 'held') held.push({ item, refusal: judgement.refusal ?? null });
    else queued.push(item);
  }
  return { failed, held, queued };
}

// Database port of the finality watchers: mined batches until their block is final.
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { UnsettledOutcome } from '../lane/judge-item.ts';
import type { LaneItem, PendingBatch } from '../lane/lane.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';

export type BatchBlock = {
  readonly id: string;
  readonly blockNumber: bigint;
  readonly blockHash: string;
};

export type AgeingBatch = BatchBlock & {
  readonly transactionId: string;
  /** Items of the batch without a payment result. */
  readonly openItems: readonly LaneItem[];
};

/** A batch as its lane sent it, with the outcome that was recorded. */
export type RecordedBatch = PendingBatch & {
  readonly network: NetworkId;
  readonly relayer: string;
  /** Id of the transaction that was recorded as mined. */
  readonly transactionId: string;
  /** Payments of the batch recorded as settled, or whose stranded transfer was settled or returned. */
  readonly settledIds: ReadonlySet<string>;
};

export type MoveOptions = { readonly nowMs: number; readonly gasCoin: Rate | undefined };

export type FinalityStore = {
  /** Batches in a final block, in nonce order, after `afterBatchId` (the last batch of the page before) if given. */
  readonly loadAgeingBatches: (
    network: NetworkId,
    finalizedNumber: bigint,
    limit: number,
    afterBatchId?: string,
  ) => Promise<readonly AgeingBatch[]>;
  /** Batches above the finalized block, newest first. Batches beyond `limit` are checked when about to become final. */
  readonly loadBatchBlocks: (
    network: NetworkId,
    finalizedNumber: bigint,
    limit: number,
  ) => Promise<readonly BatchBlock[]>;
  /** Undefined when the batch is no longer recorded as mined. */
  readonly loadRecordedBatch: (batchId: string) => Promise<RecordedBatch | undefined>;
  /** One transaction. False if another process already changed the batch: it is no longer recorded in that block. */
  readonly moveBatch: (
    batch: RecordedBatch,
    fromBlockHash: string,
    mined: MinedBatch,
    options: MoveOptions,
  ) => Promise<boolean>;
  /** One transaction. False if another process already changed the batch: it is no longer mined in that block. */
  readonly reverseBatch: (batchId: string, blockHash: string, nowMs: number) => Promise<boolean>;
  /**
   * Records batches without an open item as final, in one statement. Returns the ids of those that it recorded: the others are
   * no longer recorded as mined, or carry a stranded transfer that is queued again, which `recordFinal` does.
   */
  readonly recordSettledFinal: (batchIds: readonly string[], nowMs: number) => Promise<readonly string[]>;
  /** One transaction. `outcomes` belong to the open items, in their order; recording twice changes nothing. */
  readonly recordFinal: (batch: AgeingBatch, outcomes: readonly UnsettledOutcome[], nowMs: number) => Promise<void>;
};

/**
 * Whether the chain agrees with the record for each payment: settled in both, or in neither. Of a refund a batch records no
 * result, so the chain can't contradict it: final blocks decide the refund itself.
 */
export function hasSameOutcome(
  { items, settledIds }: Pick<RecordedBatch, 'items' | 'settledIds'>,
  mined: MinedBatch,
): boolean {
  return items.every(({ paymentId, refund }, index) => {
    const now = mined.items[index];
    if (now?.paymentId !== paymentId) return false;
    return refund !== undefined || (now.outcome === 'settled') === settledIds.has(paymentId);
  });
}

/**
 * Outcomes of the open items of a batch as it is mined now. Throws if one of them settled: the record contradicts that.
 */
export function outcomesOf(batch: AgeingBatch, mined: MinedBatch): readonly UnsettledOutcome[] {
  return batch.openItems.map(({ paymentId }) => {
    const outcome = mined.items.find((item) => item.paymentId === paymentId)?.outcome;
    if (outcome === undefined) throw new Error(`payment ${paymentId} is not in ${mined.transactionId} of ${batch.id}`);
    if (outcome === 'settled')
      throw new Error(`payment ${paymentId} of batch ${batch.id} is settled on the chain, but not in its row`);
    return outcome;
  });
}

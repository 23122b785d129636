// What watching over mined batches asks of the database, until their block is final.
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { UnsettledOutcome } from './judge-item.ts';
import type { FlyingBatch, LaneItem } from './lane.ts';
import type { MinedBatch } from './lane-chain.ts';

export type BatchPlace = {
  readonly id: string;
  readonly blockNumber: bigint;
  readonly blockHash: string;
};

export type AgeingBatch = BatchPlace & {
  readonly transactionId: string;
  /** Its items without an end; those that settled have theirs. */
  readonly openItems: readonly LaneItem[];
};

/** A batch as its lane sent it, with what was recorded of it. */
export type RecordedBatch = FlyingBatch & {
  readonly network: NetworkId;
  readonly relayer: string;
  /** Of the transaction that was recorded as mined. */
  readonly transactionId: string;
  /** Payments of it that were recorded as settled, or recovered. */
  readonly settledIds: ReadonlySet<string>;
};

export type MoveOptions = { readonly nowMs: number; readonly gasCoin: Rate | undefined };

export type FinalityStore = {
  /** Those in a block that is final by now, in the order of their nonces. */
  readonly loadAgeingBatches: (
    network: NetworkId,
    finalizedNumber: bigint,
    limit: number,
  ) => Promise<readonly AgeingBatch[]>;
  /** Those above it. The newest first: what is older than `limit` of them is looked at when it is about to become final. */
  readonly loadBatchPlaces: (
    network: NetworkId,
    finalizedNumber: bigint,
    limit: number,
  ) => Promise<readonly BatchPlace[]>;
  /** Undefined when it is not recorded as mined any more. */
  readonly loadRecordedBatch: (batchId: string) => Promise<RecordedBatch | undefined>;
  /** One transaction. False when it is not recorded in that block any more: somebody was faster. */
  readonly moveBatch: (
    batch: RecordedBatch,
    fromBlockHash: string,
    mined: MinedBatch,
    options: MoveOptions,
  ) => Promise<boolean>;
  /** One transaction. False when the batch is not recorded as mined in that block any more: somebody was faster. */
  readonly takeBackBatch: (batchId: string, blockHash: string, nowMs: number) => Promise<boolean>;
  /** One transaction. `outcomes` are those of the open items, in their order; recording twice changes nothing. */
  readonly recordFinal: (batch: AgeingBatch, outcomes: readonly UnsettledOutcome[], nowMs: number) => Promise<void>;
};

/** Whether the chain now says of each payment what was recorded: settled then and settled now, or neither. */
export function hasSameOutcome({ items, settledIds }: RecordedBatch, mined: MinedBatch): boolean {
  return items.every(({ paymentId }, index) => {
    const now = mined.items[index];
    return now?.paymentId === paymentId && (now.outcome === 'settled') === settledIds.has(paymentId);
  });
}

/** The open items' outcomes of a batch as it is found mined now; a settled one among them is a contradiction. */
export function outcomesOf(batch: AgeingBatch, mined: MinedBatch): readonly UnsettledOutcome[] {
  return mined.items.map(({ paymentId, outcome }) => {
    if (outcome === 'settled') throw new Error(`${paymentId} of batch ${batch.id} is settled, its row says it is not`);
    return outcome;
  });
}

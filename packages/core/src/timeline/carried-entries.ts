// Batches of a timeline: which carried a payment or a refund, and what became of each transaction that was signed for them.
import type { TimelineEntry, TimelineReason } from '@svc-pay/protocol/merchant';
import { caip2NameOf } from '@svc-pay/protocol/x402';
import { isoTime } from '../clock.ts';
import { BATCH_STATUS, GIVEN_UP_BATCH, RECORDED_BATCH } from '../lane/batch-transitions.ts';
import { explorerUrlOf } from '../token/explorer.ts';
import type { TimelineBatch, TimelineCarriage, TimelineRows, TimelineTransaction } from './timeline-rows.ts';

export function carriedEntries({ batches, carriages, transactions }: TimelineRows): readonly TimelineEntry[] {
  const sent = Map.groupBy(transactions, ({ batchId }) => batchId);
  return batches.flatMap((batch) => {
    const carried = carriages.filter(({ batchId }) => batchId === batch.id);
    const reverted = carried.length > 0 && carried.every((carriage) => carriage.reverted);
    return [
      ...carried.map((carriage) => joinedEntry(batch, carriage)),
      ...(sent.get(batch.id) ?? []).map((transaction, index) => sentEntry(batch, transaction, index + 1, reverted)),
      ...(batch.status === BATCH_STATUS.finalized ? [finalEntry(batch, reverted)] : []),
    ];
  });
}

function joinedEntry(batch: TimelineBatch, { paymentId, refundId, reverted }: TimelineCarriage): TimelineEntry {
  return {
    kind: 'batch_joined',
    at: isoTime(batch.createdAtMs),
    why: reverted ? reason('batch_reverted') : isGivenUp(batch) ? reason('batch_replaced') : null,
    batchId: batch.id,
    paymentId,
    refundId,
    chain: caip2NameOf(batch.network),
    relayer: batch.relayer,
    nonce: batch.nonce,
    itemCount: batch.itemCount,
    batchStatus: batch.status,
  };
}

type Outcome = Extract<TimelineEntry, { kind: 'transaction_sent' }>['outcome'];

function sentEntry(
  batch: TimelineBatch,
  { transactionId, createdAtMs }: TimelineTransaction,
  attempt: number,
  reverted: boolean,
): TimelineEntry {
  const outcome = outcomeOf(batch, transactionId, reverted);
  return {
    kind: 'transaction_sent',
    at: isoTime(createdAtMs),
    why: REASONS[outcome] ?? null,
    batchId: batch.id,
    ...placeOf(batch, transactionId),
    attempt,
    outcome,
    blockNumber: batch.transactionId === transactionId ? batch.blockNumber : null,
  };
}

const REASONS: Partial<Record<Outcome, TimelineReason>> = {
  superseded: 'superseded',
  replaced: 'batch_replaced',
  reverted: 'batch_reverted',
};

/** Any of the transactions of a batch may be the one that is mined, as long as none is. */
function outcomeOf(batch: TimelineBatch, transactionId: string, reverted: boolean): Outcome {
  if (isGivenUp(batch)) return 'replaced';
  const recorded: readonly string[] = RECORDED_BATCH;
  if (!recorded.includes(batch.status)) return 'awaits_block';
  if (batch.transactionId !== transactionId) return 'superseded';
  if (reverted) return 'reverted';
  return batch.status === BATCH_STATUS.finalized ? 'final' : 'mined';
}

function finalEntry(batch: TimelineBatch, reverted: boolean): TimelineEntry {
  return {
    kind: 'block_final',
    at: isoTime(batch.updatedAtMs),
    why: reverted ? reason('batch_reverted') : null,
    batchId: batch.id,
    ...placeOf(batch, batch.transactionId),
    blockNumber: batch.blockNumber,
  };
}

const reason = (code: TimelineReason): TimelineReason => code;

function isGivenUp({ status }: TimelineBatch): boolean {
  const givenUp: readonly string[] = GIVEN_UP_BATCH;
  return givenUp.includes(status);
}

function placeOf({ network }: TimelineBatch, transactionId: string) {
  return { chain: caip2NameOf(network), transactionId, explorerUrl: explorerUrlOf(network, transactionId) };
}

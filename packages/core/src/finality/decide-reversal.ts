// Decides what a reorg undoes that removed the block of a recorded batch. The batch is pending again, and the lane sends
// the same bytes again.
import type { GasLoss } from '../ledger/gas-loss.ts';
import { reverseLosses } from '../ledger/gas-loss.ts';
import { type LedgerEntry, reverseEntries } from '../ledger/ledger-entry.ts';
import { type PaymentResultDraft, reversedResult, type SnapshotToChange } from '../ledger/payment-result.ts';
import { SETTLEMENT_STATUS, type SettlementStatus } from '../settlement/settlement-transitions.ts';
import { isBatchedAgain, type StrandedRecord } from '../stranded/judge-stranded-transfer.ts';
import type { RecordedBatch } from './finality-store.ts';

export type ReversalFacts = {
  /** Intents of the settled payments, by intent id. */
  readonly befores: ReadonlyMap<string, SnapshotToChange>;
  /** Entries of the recorded transaction that are not reversed, by payment id. */
  readonly entries: ReadonlyMap<string, readonly LedgerEntry[]>;
  /** All gas losses of the batch. */
  readonly losses: readonly GasLoss[];
  /** Stranded transfers that the batch carries. */
  readonly stranded: readonly StrandedRecord[];
};

export type BatchReversal = {
  /** Completed payments that are pending again; their settlements must be `completed` until now. */
  readonly results: readonly PaymentResultDraft[];
  /** Reversed entries of returned transfers. The payment of a returned transfer stays failed or canceled. */
  readonly entries: readonly LedgerEntry[];
  readonly losses: readonly GasLoss[];
  /** Move of the batch's settlements that did not settle. */
  readonly open: { readonly from: SettlementStatus; readonly to: SettlementStatus };
  /** Stranded transfers that wait in the batch again. */
  readonly batchedTransfers: readonly StrandedRecord[];
};

export function decideReversal(
  { id, items, settledIds }: Pick<RecordedBatch, 'id' | 'items' | 'settledIds'>,
  { befores, entries, losses, stranded }: ReversalFacts,
  nowMs: number,
): BatchReversal {
  const settled = items.filter(({ paymentId }) => settledIds.has(paymentId));
  const liveOf = (paymentId: string) => entries.get(paymentId) ?? [];
  const isReturned = ({ strandedTransfer }: (typeof items)[number]) => strandedTransfer?.action === 'return';
  return {
    results: settled
      .filter((item) => !isReturned(item))
      .map((item) =>
        reversedResult(befores.get(item.intentId), item, liveOf(item.paymentId), { requestId: id, nowMs }),
      ),
    entries: settled.filter(isReturned).flatMap(({ paymentId }) => reverseEntries(liveOf(paymentId), { nowMs })),
    losses: reverseLosses(losses, { nowMs }),
    open: { from: SETTLEMENT_STATUS.mined, to: SETTLEMENT_STATUS.batched },
    batchedTransfers: stranded.filter(isBatchedAgain),
  };
}

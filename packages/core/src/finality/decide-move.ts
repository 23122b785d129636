// Decides what changes when a reorg put a recorded batch into another block with the same outcome for every payment. The
// payments stay completed. Log positions and gas cost may differ, so the old entries are reversed and new ones booked.
import type { Rate } from '@svc-pay/money';
import type { LaneItem } from '../lane/lane.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';
import { bookPayment } from '../ledger/book-payment.ts';
import { bookLosses, type GasLoss, liveLosses, lostItems, reverseLosses, splitGas } from '../ledger/gas-loss.ts';
import { externalCostAtomic } from '../ledger/gas-share.ts';
import { type LedgerEntry, reverseEntries } from '../ledger/ledger-entry.ts';
import { settledItems } from '../ledger/payment-result.ts';
import { bookReturn } from '../stranded/book-stranding.ts';
import type { MoveOptions, RecordedBatch } from './finality-store.ts';

export type MoveFacts = {
  /** Number of payments that the batch had when it was stored. */
  readonly itemCount: number;
  /** All gas losses of the batch. */
  readonly losses: readonly GasLoss[];
  /** Entries of the transaction recorded so far that are not reversed, by payment id. */
  readonly entries: ReadonlyMap<string, readonly LedgerEntry[]>;
  /** Token rates by payment id; undefined when the gas coin has no price. */
  readonly rates: ReadonlyMap<string, Rate> | undefined;
};

/** A completed payment with its new position on the chain. */
export type MovedPayment = {
  readonly item: LaneItem;
  readonly transactionId: string;
  readonly logIndex: number;
  readonly transactionSplitId: string;
  readonly externalCostAtomic: bigint;
};

export type BatchMove = {
  readonly losses: readonly GasLoss[];
  readonly entries: readonly LedgerEntry[];
  readonly payments: readonly MovedPayment[];
};

export function decideMove(
  batch: RecordedBatch,
  mined: MinedBatch,
  { itemCount, losses, entries, rates }: MoveFacts,
  { nowMs, gasCoin }: MoveOptions,
): BatchMove {
  const gas = splitGas(mined, batch.items, lostItems(itemCount, mined, liveLosses(losses)));
  const { transactionId } = mined;
  const parts = settledItems(batch.items, mined).map((part) => ({
    ...part,
    gasShareAtomic: gas.settled.get(part.item.paymentId) ?? 0n,
  }));
  const isReturn = ({ strandedTransfer }: LaneItem) => strandedTransfer?.action === 'return';
  return {
    losses: [
      ...reverseLosses(losses, { nowMs }),
      ...bookLosses({ ...batch, batchId: batch.id, transactionId }, gas.lost, { nowMs }),
    ],
    entries: parts.flatMap(({ item, mined: part, gasShareAtomic }) => {
      const settled = { lane: batch, item, mined: part, batch: mined };
      const booked = isReturn(item)
        ? bookReturn({ ...settled, gasCostAtomic: gasShareAtomic }, { nowMs })
        : bookPayment({ ...settled, gasShareAtomic }, { nowMs }).entries;
      return [...reverseEntries(entries.get(item.paymentId) ?? [], { nowMs }), ...booked];
    }),
    payments: parts
      .filter(({ item }) => !isReturn(item))
      .map(({ item, mined: part, gasShareAtomic }) => ({
        item,
        transactionId,
        logIndex: part.logIndex,
        transactionSplitId: `${transactionId}:${part.logIndex}`,
        externalCostAtomic: externalCostAtomic(gasShareAtomic, { gasCoin, token: rates?.get(item.paymentId) }),
      })),
  };
}

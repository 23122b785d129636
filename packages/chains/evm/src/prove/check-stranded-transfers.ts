// Compares stranded transfers with the chain: each must have come by the token's own transfer of the signed amount from
// the payer to a processor.
import { type BookedPaymentRow, type Books, type Findings, STRANDED_STATUS } from '@svc-pay/core';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type ChainLog, transferOf } from './processor-logs.ts';
import { readReceipts } from './read-receipts.ts';

const RECEIPTS_AT_ONCE = 50;

export type StrandedTransfersToCheck = {
  readonly rpc: JsonRpc;
  readonly network: string;
  readonly processors: readonly string[];
};

/** Returns the payments whose money went back, by the batch that returned it. `findings` has the check `transfers`. */
export async function checkStrandedTransfers(
  books: Books,
  { rpc, network, processors }: StrandedTransfersToCheck,
  findings: Findings,
): Promise<ReadonlyMap<string, readonly BookedPaymentRow[]>> {
  const returned = new Map<string, BookedPaymentRow[]>();
  for await (const page of books.strandedTransfers(network)) {
    for (let start = 0; start < page.length; start += RECEIPTS_AT_ONCE) {
      const rows = page.slice(start, start + RECEIPTS_AT_ONCE);
      const receipts = await readReceipts(
        rpc,
        rows.flatMap(({ strandedTransfer }) => strandedTransfer?.transactionId ?? []),
      );
      for (const row of rows) {
        const { strandedTransfer } = row;
        if (strandedTransfer === null) continue;
        findings.looked('transfers');
        const logs = receipts.get(strandedTransfer.transactionId.toLowerCase())?.logs ?? [];
        if (!isBrought(row, strandedTransfer.logIndex, logs, processors))
          findings.differs(
            'transfers',
            [row.paymentId, strandedTransfer.transactionId],
            `log ${strandedTransfer.logIndex} is not the token's transfer that its stranded money came by`,
          );
        if (
          strandedTransfer.action === 'return' &&
          strandedTransfer.status === STRANDED_STATUS.done &&
          strandedTransfer.batchId !== null
        )
          returned.set(strandedTransfer.batchId, [...(returned.get(strandedTransfer.batchId) ?? []), row]);
      }
    }
  }
  return returned;
}

function isBrought(
  { asset, payer, settlement }: BookedPaymentRow,
  logIndex: number,
  logs: readonly ChainLog[],
  processors: readonly string[],
): boolean {
  const log = logs.find((one) => one.logIndex === logIndex);
  const moved = log === undefined ? undefined : transferOf(log);
  return (
    moved?.token === asset.toLowerCase() &&
    moved.from === payer?.toLowerCase() &&
    processors.includes(moved.to) &&
    moved.amountAtomic === (settlement?.capAtomic ?? moved.amountAtomic)
  );
}

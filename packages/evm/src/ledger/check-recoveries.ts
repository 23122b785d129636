// Money that strangers' submissions stranded, against the chain: it came by a transfer of the token's own, of what was
// signed, from the payer to a processor.
import type { BookedPaymentRow, Books, Findings } from '@svc-pay/core';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type ChainLog, transferOf } from './processor-logs.ts';
import { readReceipts } from './read-receipts.ts';

const RECEIPTS_AT_ONCE = 50;

export type RecoveriesToCheck = {
  readonly rpc: JsonRpc;
  readonly network: string;
  readonly processors: readonly string[];
};

/** Answers the payments whose money went back, by the batch that did it. `findings` has the check `transfers`. */
export async function checkRecoveries(
  books: Books,
  { rpc, network, processors }: RecoveriesToCheck,
  findings: Findings,
): Promise<ReadonlyMap<string, readonly BookedPaymentRow[]>> {
  const returned = new Map<string, BookedPaymentRow[]>();
  for await (const page of books.recovered(network)) {
    for (let start = 0; start < page.length; start += RECEIPTS_AT_ONCE) {
      const rows = page.slice(start, start + RECEIPTS_AT_ONCE);
      const receipts = await readReceipts(
        rpc,
        rows.flatMap(({ recovery }) => recovery?.transactionId ?? []),
      );
      for (const row of rows) {
        const { recovery } = row;
        if (recovery === null) continue;
        findings.looked('transfers');
        const logs = receipts.get(recovery.transactionId.toLowerCase())?.logs ?? [];
        if (!isBrought(row, recovery.logIndex, logs, processors))
          findings.differs(
            'transfers',
            [row.paymentId, recovery.transactionId],
            `log ${recovery.logIndex} is not the token's transfer that its stranded money came by`,
          );
        if (recovery.deed === 'return' && recovery.status === 'done' && recovery.batchId !== null)
          returned.set(recovery.batchId, [...(returned.get(recovery.batchId) ?? []), row]);
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

// Compares every batch that a lane recorded as mined with its receipt.
import {
  type BookedBatch,
  type BookedPaymentRow,
  type Books,
  type Findings,
  PAYMENT_STATUS,
  paymentSource,
} from '@svc-pay/core';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { checkStrandedTransfers } from './check-stranded-transfers.ts';
import { examineEvent } from './examine-event.ts';
import { examineTransaction } from './examine-transaction.ts';
import { settledEventOf } from './processor-logs.ts';
import { type MinedReceipt, readReceipts } from './read-receipts.ts';

export type TransactionsToCheck = {
  readonly rpc: JsonRpc;
  readonly network: string;
  readonly processors: readonly string[];
};

/** `findings` has the checks `events`, `transfers` and `gas`. */
export async function checkTransactions(
  books: Books,
  { rpc, network, processors }: TransactionsToCheck,
  findings: Findings,
): Promise<void> {
  let unbooked = 0;
  const returned = await checkStrandedTransfers(books, { rpc, network, processors }, findings);
  for await (const page of books.minedBatches(network)) {
    const receipts = await readReceipts(
      rpc,
      page.map(({ transactionId }) => transactionId),
    );
    const directRows = await readDirectRows(books, network, page);
    for (const { id, transactionId, gasBooked, lostAtomic } of page) {
      const receipt = receipts.get(transactionId.toLowerCase());
      if (receipt === undefined) {
        findings.differs('events', [id, transactionId], 'it is recorded as mined, and the chain does not have it');
        continue;
      }
      const { rows: settled, pending, matched } = await settledRows(books, receipt, network, processors);
      const direct = directRows.get(transactionId.toLowerCase()) ?? [];
      const rows = [...settled, ...(returned.get(id) ?? []), ...direct];
      for (const { paymentId } of pending)
        findings.differs(
          'events',
          [paymentId, id, transactionId],
          'its batch is recorded as mined, and it is still pending',
        );
      if (!matched) continue;
      if (rows.length === 0 && !gasBooked) {
        unbooked += 1;
        continue;
      }
      findings.looked('transfers');
      findings.looked('gas');
      for (const { check, about, message } of examineTransaction(receipt, rows, lostAtomic, processors))
        findings.differs(check, [about, id, transactionId], message);
    }
  }
  if (unbooked > 0)
    findings.note(
      'gas',
      `${unbooked} transactions settled no payment, and an earlier version recorded them: what they cost is not in the books`,
    );
}

/** Direct payments by their transaction. `checkDirectPayments` compares them with the logs; here their gas counts. */
async function readDirectRows(
  books: Books,
  network: string,
  batches: readonly BookedBatch[],
): Promise<ReadonlyMap<string, readonly BookedPaymentRow[]>> {
  const rows = await books.paymentsOfTransactions(
    network,
    batches.map(({ transactionId }) => transactionId),
  );
  return Map.groupBy(
    rows.filter((row) => paymentSource(row) === 'direct'),
    ({ transactionId }) => transactionId?.toLowerCase() ?? '',
  );
}

/** `matched` is false when a payment differs from its event: the events check reports that already. */
async function settledRows(books: Books, { logs }: MinedReceipt, network: string, processors: readonly string[]) {
  const events = logs.filter(({ address }) => processors.includes(address)).flatMap((log) => settledEventOf(log) ?? []);
  const rows = await books.paymentsOfCodes(events.map(({ intentCode }) => intentCode));
  const byCode = new Map(rows.map((row) => [row.intent?.code, row]));
  const verdicts = events.map((event) => examineEvent(event, byCode.get(event.intentCode), network));
  return {
    rows,
    pending: rows.filter(({ status }) => status === PAYMENT_STATUS.pending),
    matched: verdicts.every((verdict) => verdict === 'matched'),
  };
}

// Every batch that a lane recorded as mined, against its receipt.
import type { Books, Findings } from '@svc-pay/core';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { checkRecoveries } from './check-recoveries.ts';
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
  let settledNothing = 0;
  const returned = await checkRecoveries(books, { rpc, network, processors }, findings);
  for await (const page of books.minedBatches(network)) {
    const receipts = await readReceipts(
      rpc,
      page.map(({ transactionId }) => transactionId),
    );
    for (const { id, transactionId } of page) {
      const receipt = receipts.get(transactionId.toLowerCase());
      if (receipt === undefined) {
        findings.differs('events', [id, transactionId], 'it is recorded as mined, and the chain does not have it');
        continue;
      }
      const { rows: settled, pending, matched } = await settledRows(books, receipt, network, processors);
      const rows = [...settled, ...(returned.get(id) ?? [])];
      for (const { paymentId } of pending)
        findings.differs(
          'events',
          [paymentId, id, transactionId],
          'its batch is recorded as mined, and it is still pending',
        );
      if (!matched) continue;
      if (rows.length === 0) {
        settledNothing += 1;
        continue;
      }
      findings.looked('transfers');
      findings.looked('gas');
      for (const { check, about, message } of examineTransaction(receipt, rows, processors))
        findings.differs(check, [about, id, transactionId], message);
    }
  }
  if (settledNothing > 0)
    findings.note('gas', `${settledNothing} transactions settled no payment; what they cost is in no payment's books`);
}

/** Not `matched` when a payment differs from its event: that is told with the events, and its sums would only repeat it. */
async function settledRows(books: Books, { logs }: MinedReceipt, network: string, processors: readonly string[]) {
  const events = logs.filter(({ address }) => processors.includes(address)).flatMap((log) => settledEventOf(log) ?? []);
  const rows = await books.paymentsOfCodes(events.map(({ intentCode }) => intentCode));
  const byCode = new Map(rows.map((row) => [row.intent?.code, row]));
  const verdicts = events.map((event) => examineEvent(event, byCode.get(event.intentCode), network));
  return {
    rows,
    pending: rows.filter(({ status }) => status === 'pending'),
    matched: verdicts.every((verdict) => verdict === 'matched'),
  };
}

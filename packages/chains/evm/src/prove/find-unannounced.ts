// Finds the completed payments without an event on chain, receipt by receipt.
import { type BookedPaymentRow, type Books, type Findings, PAYMENT_STATUS, paymentSource } from '@svc-pay/core';
import { examineReceived } from './check-receipts.ts';
import type { TransactionsToCheck } from './check-transactions.ts';
import { examineEvent } from './examine-event.ts';
import { type ChainLog, receivedEventOf, settledEventOf } from './processor-logs.ts';
import { type MinedReceipt, readReceipts } from './read-receipts.ts';

const RECEIPTS_AT_ONCE = 50;

export async function findUnannounced(
  books: Books,
  { rpc, network, processors }: TransactionsToCheck,
  findings: Findings,
): Promise<void> {
  for await (const page of books.payments()) {
    const completed = page.filter(
      (row) => row.network === network && row.status === PAYMENT_STATUS.completed && paymentSource(row) !== 'direct',
    );
    for (let start = 0; start < completed.length; start += RECEIPTS_AT_ONCE) {
      const rows = completed.slice(start, start + RECEIPTS_AT_ONCE);
      const receipts = await readReceipts(
        rpc,
        rows.flatMap(({ transactionId }) => transactionId ?? []),
      );
      for (const row of rows) {
        const receipt = receipts.get(row.transactionId?.toLowerCase() ?? '');
        if (receipt === undefined || !isAnnounced(row, receipt, processors, network))
          findings.differs(
            'events',
            [row.paymentId, row.splitId ?? 'no log'],
            'it is completed, and the chain has no event of it',
          );
      }
    }
  }
}

function isAnnounced(
  row: BookedPaymentRow,
  { logs }: MinedReceipt,
  processors: readonly string[],
  network: string,
): boolean {
  const ofProcessors = logs.filter(({ address }) => processors.includes(address));
  if (paymentSource(row) === 'received') {
    return ofProcessors.some((log) => {
      const event = receivedEventOf(log);
      return event !== undefined && examineReceived(event, row) === undefined && isAt(row, log);
    });
  }
  return ofProcessors.some((log) => {
    const event = settledEventOf(log);
    return (
      event?.intentCode === row.intent?.code && event !== undefined && examineEvent(event, row, network) === 'matched'
    );
  });
}

const isAt = ({ splitId }: BookedPaymentRow, { transactionId, logIndex }: ChainLog): boolean =>
  splitId?.toLowerCase() === `${transactionId}:${logIndex}`;

// Checks the entries of a payment with a stranded transfer: the money came with one transfer, and left `stranded` when
// it completed its payment or was returned.
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { STRANDED_STATUS } from '../stranded/stranded-transitions.ts';
import type { BookedEntry, BookedPaymentRow } from './books.ts';
import { compareParts, examineGas, examinePositions, expectedParts } from './expected-entries.ts';
import { isNative } from './live-entries.ts';

export function examineStranded(
  row: BookedPaymentRow,
  strandedTransfer: NonNullable<BookedPaymentRow['strandedTransfer']>,
  live: readonly BookedEntry[],
): readonly string[] {
  const { settlement, payer, status } = row;
  if (settlement === null) return row.settlementKept ? ['its money was stranded, and its settlement is not there'] : [];
  const came = live.filter(
    ({ transactionId, logIndex }) =>
      transactionId === strandedTransfer.transactionId && logIndex === strandedTransfer.logIndex,
  );
  const left = live.filter((entry) => !came.includes(entry));
  const { capAtomic } = settlement;
  const problems = compareParts(came, [
    { accountName: 'payer', party: payer, amountAtomic: -capAtomic },
    { accountName: 'stranded', party: payer, amountAtomic: capAtomic },
  ]).map((problem) => `of its stranded money: ${problem}`);
  return [...problems, ...examineLeft(row, strandedTransfer, left, status, capAtomic)];
}

function examineLeft(
  row: BookedPaymentRow,
  { action, status: progress }: NonNullable<BookedPaymentRow['strandedTransfer']>,
  left: readonly BookedEntry[],
  status: BookedPaymentRow['status'],
  capAtomic: bigint,
): readonly string[] {
  const { payer } = row;
  const token = left.filter((entry) => !isNative(entry));
  const gas = examineGas(left.filter(isNative));
  const out = { accountName: 'stranded', party: payer, amountAtomic: -capAtomic };
  if (status === PAYMENT_STATUS.completed && action === 'settle') {
    const parts = expectedParts(row);
    if (typeof parts === 'string') return [parts];
    const given = parts.filter(({ accountName }) => accountName !== 'payer');
    return [...compareParts(token, [out, ...given]), ...examinePositions(row, left), ...gas];
  }
  if (status === PAYMENT_STATUS.completed) return [`it is completed, and its stranded money is to be ${action}ed`];
  if (action === 'return' && progress === STRANDED_STATUS.done) {
    const back = { accountName: 'refund', party: payer, amountAtomic: capAtomic };
    return [...compareParts(token, [out, back]), ...gas];
  }
  if (progress === STRANDED_STATUS.done) return [`its stranded money completed it, and it is ${status}`];
  return left.length === 0 ? [] : [`its stranded money is not dealt with, and ${left.length} entries say so`];
}

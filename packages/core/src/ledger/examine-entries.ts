// Compares a payment's entries with what the payment, its settlement and its payout's terms require.
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import type { BookedEntry, BookedPaymentRow } from './books.ts';
import { examineRefunds } from './examine-refunds.ts';
import { examineStranded } from './examine-stranded.ts';
import { compareParts, examineGas, examinePositions, expectedParts } from './expected-entries.ts';
import { isNative, liveEntries, unbalanced } from './live-entries.ts';

/** Problems in words; empty when the entries are exactly as required. */
export function examineEntries(row: BookedPaymentRow): readonly string[] {
  const { live, problems: badReversals } = liveEntries(row.entries);
  const refunds = examineRefunds(row, live);
  const problems = [
    ...badReversals,
    ...unbalanced(row.entries).map(([asset, off]) => `its entries in ${asset} are off by ${off}`),
    ...refunds.problems,
  ];
  return [...problems, ...examineOwn({ ...row, status: statusOnceDivided(row) }, refunds.others)];
}

/** Of a refunded payment, what it was before: its own entries stay as they were booked. */
function statusOnceDivided({ status, intent, paymentId }: BookedPaymentRow): BookedPaymentRow['status'] {
  if (status !== PAYMENT_STATUS.refunded) return status;
  return intent?.paymentId === paymentId ? PAYMENT_STATUS.completed : PAYMENT_STATUS.mismatched;
}

function examineOwn(row: BookedPaymentRow, live: readonly BookedEntry[]): readonly string[] {
  if (row.strandedTransfer !== null) return examineStranded(row, row.strandedTransfer, live);
  if (row.status === PAYMENT_STATUS.completed) return examineCompleted(row, live);
  // Entries of a mismatch are no plain settlement: only their balance can be checked here.
  if (row.status === PAYMENT_STATUS.mismatched || live.length === 0) return [];
  return [`it is ${row.status} and has ${live.length} entries that were not taken back`];
}

function examineCompleted(row: BookedPaymentRow, live: readonly BookedEntry[]): readonly string[] {
  const parts = expectedParts(row);
  if (typeof parts === 'string') return [parts];
  const token = live.filter((entry) => !isNative(entry));
  return [...compareParts(token, parts), ...examinePositions(row, live), ...examineGas(live.filter(isNative))];
}

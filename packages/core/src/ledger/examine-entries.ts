// Compares a payment's entries with what the payment, its settlement and its payout's terms require.
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import type { BookedEntry, BookedPaymentRow } from './books.ts';
import { examineStranded } from './examine-stranded.ts';
import { compareParts, examineGas, examinePositions, expectedParts } from './expected-entries.ts';
import { isNative, liveEntries, unbalanced } from './live-entries.ts';

/** Problems in words; empty when the entries are exactly as required. */
export function examineEntries(row: BookedPaymentRow): readonly string[] {
  const { live, problems: badReversals } = liveEntries(row.entries);
  const problems = [
    ...badReversals,
    ...unbalanced(row.entries).map(([asset, off]) => `its entries in ${asset} are off by ${off}`),
  ];
  if (row.strandedTransfer !== null) return [...problems, ...examineStranded(row, row.strandedTransfer, live)];
  if (row.status === PAYMENT_STATUS.completed) return [...problems, ...examineCompleted(row, live)];
  // Entries of a refund or a mismatch are no plain settlement: only their balance can be checked here.
  if (row.status === PAYMENT_STATUS.refunded || row.status === PAYMENT_STATUS.mismatched) return problems;
  if (live.length > 0) problems.push(`it is ${row.status} and has ${live.length} entries that were not taken back`);
  return problems;
}

function examineCompleted(row: BookedPaymentRow, live: readonly BookedEntry[]): readonly string[] {
  const parts = expectedParts(row);
  if (typeof parts === 'string') return [parts];
  const token = live.filter((entry) => !isNative(entry));
  return [...compareParts(token, parts), ...examinePositions(row, live), ...examineGas(live.filter(isNative))];
}

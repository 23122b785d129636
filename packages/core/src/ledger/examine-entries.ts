// One payment's entries against what its payment, its settlement and its payout's terms say they must be.
import type { BookedEntry, BookedPaymentRow } from './books.ts';
import { examineRecovered } from './examine-recovery.ts';
import { compareParts, examineGas, examinePlaces, expectedParts } from './expected-parts.ts';
import { isNative, liveEntries, unbalanced } from './live-entries.ts';

/** What is wrong with them, in words; empty when they are exactly what they must be. */
export function examineEntries(row: BookedPaymentRow): readonly string[] {
  const { live, problems: badReversals } = liveEntries(row.entries);
  const problems = [
    ...badReversals,
    ...unbalanced(row.entries).map(([asset, off]) => `its entries in ${asset} are off by ${off}`),
  ];
  if (row.recovery !== null) return [...problems, ...examineRecovered(row, row.recovery, live)];
  if (row.status === 'completed') return [...problems, ...examineCompleted(row, live)];
  // What a refund or a mismatch books is not a plain settlement: that it balances is all that is known here.
  if (row.status === 'refunded' || row.status === 'mismatched') return problems;
  if (live.length > 0) problems.push(`it is ${row.status} and has ${live.length} entries that were not taken back`);
  return problems;
}

function examineCompleted(row: BookedPaymentRow, live: readonly BookedEntry[]): readonly string[] {
  const parts = expectedParts(row);
  if (typeof parts === 'string') return [parts];
  const token = live.filter((entry) => !isNative(entry));
  return [...compareParts(token, parts), ...examinePlaces(row, live), ...examineGas(live.filter(isNative))];
}

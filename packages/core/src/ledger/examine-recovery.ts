// Entries of a payment whose authorization was submitted around us: the money came with one transfer, and left `stranded`
// again when it completed its payment or went back.
import type { BookedEntry, BookedPaymentRow } from './books.ts';
import { compareParts, examineGas, examinePlaces, expectedParts } from './expected-parts.ts';
import { isNative } from './live-entries.ts';

export function examineRecovered(
  row: BookedPaymentRow,
  recovery: NonNullable<BookedPaymentRow['recovery']>,
  live: readonly BookedEntry[],
): readonly string[] {
  const { settlement, payer, status } = row;
  if (settlement === null) return row.settlementKept ? ['its money was stranded, and its settlement is not there'] : [];
  const came = live.filter(
    ({ transactionId, logIndex }) => transactionId === recovery.transactionId && logIndex === recovery.logIndex,
  );
  const left = live.filter((entry) => !came.includes(entry));
  const { capAtomic } = settlement;
  const problems = compareParts(came, [
    { accountName: 'payer', party: payer, amountAtomic: -capAtomic },
    { accountName: 'stranded', party: payer, amountAtomic: capAtomic },
  ]).map((problem) => `of its stranded money: ${problem}`);
  return [...problems, ...examineLeft(row, recovery, left, status, capAtomic)];
}

function examineLeft(
  row: BookedPaymentRow,
  { deed, status: progress }: NonNullable<BookedPaymentRow['recovery']>,
  left: readonly BookedEntry[],
  status: string,
  capAtomic: bigint,
): readonly string[] {
  const { payer } = row;
  const token = left.filter((entry) => !isNative(entry));
  const gas = examineGas(left.filter(isNative));
  const out = { accountName: 'stranded', party: payer, amountAtomic: -capAtomic };
  if (status === 'completed' && deed === 'settle') {
    const parts = expectedParts(row);
    if (typeof parts === 'string') return [parts];
    const given = parts.filter(({ accountName }) => accountName !== 'payer');
    return [...compareParts(token, [out, ...given]), ...examinePlaces(row, left), ...gas];
  }
  if (status === 'completed') return [`it is completed, and its stranded money is to be ${deed}ed`];
  if (deed === 'return' && progress === 'done') {
    const back = { accountName: 'refund', party: payer, amountAtomic: capAtomic };
    return [...compareParts(token, [out, back]), ...gas];
  }
  if (progress === 'done') return [`its stranded money completed it, and it is ${status}`];
  return left.length === 0 ? [] : [`its stranded money is not dealt with, and ${left.length} entries say so`];
}

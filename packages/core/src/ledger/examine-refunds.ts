// Checks the refunds of a payment against its entries, its proofs and the sum that the payment names.
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import type { BookedEntry, BookedPaymentRow, BookedRefund } from './books.ts';
import { compareParts, examineGas } from './expected-entries.ts';
import { isNative } from './live-entries.ts';

export type ExaminedRefunds = {
  /** Entries that no refund accounts for. */
  readonly others: readonly BookedEntry[];
  readonly problems: readonly string[];
};

export function examineRefunds(row: BookedPaymentRow, live: readonly BookedEntry[]): ExaminedRefunds {
  const isOf =
    ({ transactionId, logIndex }: BookedRefund) =>
    (entry: BookedEntry) =>
      entry.transactionId === transactionId && entry.logIndex === logIndex;
  const problems = row.refunds.flatMap((refund) =>
    examineRefund(refund, live.filter(isOf(refund))).map((problem) => `of refund ${refund.id}: ${problem}`),
  );
  const others = live.filter((entry) => !row.refunds.some((refund) => isOf(refund)(entry)));
  return { others, problems: [...problems, ...examineSum(row)] };
}

function examineRefund(refund: BookedRefund, entries: readonly BookedEntry[]): readonly string[] {
  const { wallet, recipient, amountAtomic, proven } = refund;
  const parts = [
    { accountName: 'merchant', party: wallet, amountAtomic: -amountAtomic },
    { accountName: 'payer', party: recipient, amountAtomic },
  ];
  const token = entries.filter((entry) => !isNative(entry));
  const proof = proven ? [] : [`no log proof has its log ${refund.transactionId}:${refund.logIndex}`];
  return [...compareParts(token, parts), ...examineGas(entries.filter(isNative)), ...proof];
}

/** A refund counts at most what was left, so the sum may be below that of the transfers. */
function examineSum({ refunds, refundedAtomic, paidAtomic, status }: BookedPaymentRow): readonly string[] {
  const refunded = refundedAtomic ?? 0n;
  const moved = refunds.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
  const problems: string[] = [];
  if (refunded > moved) problems.push(`it says that ${refunded} was refunded, its refunds moved ${moved}`);
  if (refunded === 0n && moved > 0n) problems.push(`its refunds moved ${moved}, and it names none of it`);
  if (refunded > (paidAtomic ?? 0n)) problems.push(`${refunded} was refunded, and ${paidAtomic ?? 0n} was paid`);
  const whole = refunded > 0n && refunded === paidAtomic;
  if (whole !== (status === PAYMENT_STATUS.refunded))
    problems.push(`it is ${status}, and ${refunded} of ${paidAtomic ?? 0n} was refunded`);
  return problems;
}

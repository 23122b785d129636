// Computes the entries that a completed payment must have, by its settlement and its payout's terms, and compares them.
import { atomicAmount, breakDown, payoutTerms } from '@svc-pay/money';
import type { BookedEntry, BookedPaymentRow } from './books.ts';
import { NETWORK_PARTY } from './ledger-entry.ts';

type Part = { readonly accountName: string; readonly party: string | null; readonly amountAtomic: bigint };

/** A null party is not known to the database. */
export function expectedParts(row: BookedPaymentRow): readonly Part[] | string {
  const { paidAtomic, feeAtomic, refundAtomic, settlement, terms, payer } = row;
  if (paidAtomic === null || feeAtomic === null || refundAtomic === null)
    return 'it is completed without amounts paid, kept as fee and returned';
  if (settlement === null || terms === null) {
    if (row.settlementKept) return 'its settlement or the terms of its payout are not there';
    return [{ accountName: 'payer', party: payer, amountAtomic: -(paidAtomic + refundAtomic) }];
  }
  const { capAtomic, settledAtomic } = settlement;
  if (paidAtomic !== settledAtomic) return `it was paid ${paidAtomic}, its settlement says ${settledAtomic}`;
  const read = payoutTerms(terms);
  if (!read.ok) return `the terms of its payout are ${read.code}`;
  const broken = breakDown(atomicAmount(settledAtomic), atomicAmount(capAtomic), read.terms);
  if (!broken.ok) return `its settlement is ${broken.code}`;
  const { breakdown } = broken;
  if (breakdown.feeAtomic !== feeAtomic) return `its fee is ${feeAtomic}, its terms say ${breakdown.feeAtomic}`;
  if (breakdown.refundAtomic !== refundAtomic)
    return `it returned ${refundAtomic}, cap and settled amount say ${breakdown.refundAtomic}`;
  return [
    { accountName: 'payer', party: payer, amountAtomic: -capAtomic },
    { accountName: 'merchant', party: terms.merchant, amountAtomic: breakdown.merchantAtomic },
    ...breakdown.splits.map(({ to, amountAtomic }) => ({ accountName: 'split', party: to, amountAtomic })),
    { accountName: 'platform_fee', party: null, amountAtomic: feeAtomic },
    { accountName: 'refund', party: payer, amountAtomic: refundAtomic },
  ].filter(({ amountAtomic }) => amountAtomic !== 0n);
}

export function compareParts(entries: readonly BookedEntry[], parts: readonly Part[]): readonly string[] {
  const left = [...entries];
  const problems: string[] = [];
  for (const part of parts) {
    const at = left.findIndex((entry) => isPart(entry, part));
    if (at === -1) problems.push(`no entry ${part.accountName} ${part.party ?? 'of the fee'} ${part.amountAtomic}`);
    else left.splice(at, 1);
  }
  // For a payment whose settlement was dropped only the payer's side is known.
  const known = parts.length > 1 ? left : left.filter(({ amountAtomic }) => amountAtomic < 0n);
  for (const { id, accountName, amountAtomic } of known)
    problems.push(`entry ${id} (${accountName} ${amountAtomic}) is one too many`);
  return problems;
}

function isPart(entry: BookedEntry, { accountName, party, amountAtomic }: Part): boolean {
  const account = entry.accountName === accountName || (entry.accountName === 'escrow' && amountAtomic > 0n);
  return (
    account &&
    entry.amountAtomic === amountAtomic &&
    (party === null || entry.party.toLowerCase() === party.toLowerCase())
  );
}

export function examinePositions(
  { transactionId, splitId }: BookedPaymentRow,
  live: readonly BookedEntry[],
): readonly string[] {
  const elsewhere = live.find(
    (entry) =>
      entry.transactionId !== transactionId ||
      (entry.accountName !== 'payer' && `${entry.transactionId}:${entry.logIndex}` !== splitId),
  );
  if (elsewhere === undefined) return [];
  return [
    `entry ${elsewhere.id} points at ${elsewhere.transactionId}:${elsewhere.logIndex}, the payment at ${splitId ?? transactionId}`,
  ];
}

/** Both sides or none: gas may be free. */
export function examineGas(entries: readonly BookedEntry[]): readonly string[] {
  if (entries.length === 0) return [];
  const paid = entries.filter(({ party }) => party === NETWORK_PARTY);
  const sound = entries.length === 2 && paid.length === 1 && paid.every(({ amountAtomic }) => amountAtomic > 0n);
  return sound ? [] : ['its network cost is not one entry of the relayer and one of the network'];
}

// Checks the books payment by payment without the chain, and counts what the chain is asked about later.
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { STRANDED_STATUS } from '../stranded/stranded-transitions.ts';
import type { BookedPaymentRow, Books } from './books.ts';
import { examineEntries } from './examine-entries.ts';
import { examineStatuses } from './examine-statuses.ts';
import type { Findings } from './findings.ts';
import { liveEntries } from './live-entries.ts';
import { type PaymentSource, paymentSource } from './payment-source.ts';

/** Totals of the books of one network. */
export type Census = {
  completed: number;
  /** Completed payments by what completed them. */
  readonly bySource: Record<PaymentSource, number>;
  /** Stranded transfers that are not settled or returned yet: the books may lag behind the chain. */
  unresolvedStranded: number;
  /** By token: stranded money that is still with the processor. */
  readonly strandedAtomic: Map<string, bigint>;
  /** Tokens of the payments, in lower case. */
  readonly tokens: Set<string>;
};

/** `findings` must have the checks `entries` and `statuses`. */
export async function checkBooks(books: Books, findings: Findings): Promise<ReadonlyMap<string, Census>> {
  const networks = new Map<string, Census>();
  for await (const page of books.payments()) {
    for (const row of page) {
      findings.looked('entries');
      findings.looked('statuses');
      for (const problem of examineEntries(row)) findings.differs('entries', [row.paymentId], problem);
      for (const problem of examineStatuses(row)) findings.differs('statuses', [row.paymentId], problem);
      const census = networks.get(row.network) ?? {
        completed: 0,
        bySource: { settled: 0, direct: 0, received: 0 },
        unresolvedStranded: 0,
        strandedAtomic: new Map<string, bigint>(),
        tokens: new Set<string>(),
      };
      networks.set(row.network, census);
      if (row.status === PAYMENT_STATUS.completed) {
        census.completed += 1;
        census.bySource[paymentSource(row)] += 1;
      }
      census.tokens.add(row.asset.toLowerCase());
      countStranded(row, census);
    }
  }
  const strays = [
    ['entries', await books.strayEntries(), 'entries belong to payments that do not exist'],
    ['entries', await books.strayLosses(), 'gas losses belong to no payment, or take back what is not their opposite'],
    ['statuses', await books.strayIntents(), 'intents are completed by payments that do not exist'],
    ['statuses', await books.strayPayments(), 'payments belong to accounts that do not exist'],
    ['statuses', await books.strayProofs(), 'log proofs name payments or refunds that are not proven by their log'],
    ['statuses', await books.strayRefunds(), 'payments have totals of refunds that are not the sum of their refunds'],
  ] as const;
  for (const [check, { count, ids }, words] of strays) if (count > 0) findings.differs(check, ids, `${count} ${words}`);
  return networks;
}

function countStranded({ strandedTransfer, asset, entries }: BookedPaymentRow, census: Census): void {
  if (strandedTransfer === null) return;
  if (strandedTransfer.status !== STRANDED_STATUS.done) census.unresolvedStranded += 1;
  const token = asset.toLowerCase();
  for (const { accountName, amountAtomic } of liveEntries(entries).live) {
    if (accountName !== 'stranded') continue;
    census.strandedAtomic.set(token, (census.strandedAtomic.get(token) ?? 0n) + amountAtomic);
  }
}

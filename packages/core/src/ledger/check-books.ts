// Proves the books by themselves, payment by payment, and counts on the way what the chain will be asked about.
import type { BookedPaymentRow, Books } from './books.ts';
import { examineEntries } from './examine-entries.ts';
import { examineStatuses } from './examine-statuses.ts';
import type { Findings } from './findings.ts';
import { liveEntries } from './live-entries.ts';

/** What the books of one network say as a whole. */
export type Census = {
  completed: number;
  /** Recoveries without their end: what they are about may be booked a moment after the chain has it. */
  recovering: number;
  /** By token: what lies with the processor for a payment whose authorization was submitted around us. */
  readonly strandedAtomic: Map<string, bigint>;
  /** Tokens of its payments, in lower case. */
  readonly tokens: Set<string>;
};

/** `findings` has the checks `entries` and `statuses`. */
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
        recovering: 0,
        strandedAtomic: new Map<string, bigint>(),
        tokens: new Set<string>(),
      };
      networks.set(row.network, census);
      if (row.status === 'completed') census.completed += 1;
      census.tokens.add(row.asset.toLowerCase());
      countStranded(row, census);
    }
  }
  const strays = [
    ['entries', await books.strayEntries(), 'entries belong to payments that do not exist'],
    ['statuses', await books.strayIntents(), 'intents are completed by payments that do not exist'],
    ['statuses', await books.strayPayments(), 'payments belong to accounts that do not exist'],
  ] as const;
  for (const [check, { count, ids }, words] of strays) if (count > 0) findings.differs(check, ids, `${count} ${words}`);
  return networks;
}

function countStranded({ recovery, asset, entries }: BookedPaymentRow, census: Census): void {
  if (recovery === null) return;
  if (recovery.status !== 'done') census.recovering += 1;
  const token = asset.toLowerCase();
  for (const { accountName, amountAtomic } of liveEntries(entries).live) {
    if (accountName !== 'stranded') continue;
    census.strandedAtomic.set(token, (census.strandedAtomic.get(token) ?? 0n) + amountAtomic);
  }
}

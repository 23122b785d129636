// Proves the books by themselves, payment by payment, and counts on the way what the chain will be asked about.
import type { Books } from './books.ts';
import { examineEntries } from './examine-entries.ts';
import { examineStatuses } from './examine-statuses.ts';
import type { Findings } from './findings.ts';

/** What the books of one network say as a whole. */
export type Census = {
  completed: number;
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
      const census = networks.get(row.network) ?? { completed: 0, tokens: new Set<string>() };
      networks.set(row.network, census);
      if (row.status === 'completed') census.completed += 1;
      census.tokens.add(row.asset.toLowerCase());
    }
  }
  const entries = await books.strayEntries();
  if (entries.count > 0)
    findings.differs('entries', entries.ids, `${entries.count} entries belong to payments that do not exist`);
  const intents = await books.strayIntents();
  if (intents.count > 0)
    findings.differs('statuses', intents.ids, `${intents.count} intents are completed by payments that do not exist`);
  return networks;
}

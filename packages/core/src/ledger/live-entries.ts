// Live entries: neither reversed nor reversals.
import type { BookedEntry } from './books.ts';
import { NATIVE_ASSET } from './ledger-entry.ts';

export type LiveEntries = { readonly live: readonly BookedEntry[]; readonly problems: readonly string[] };

export function liveEntries(entries: readonly BookedEntry[]): LiveEntries {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const reversed = new Set<string>();
  const problems: string[] = [];
  for (const entry of entries) {
    if (entry.reverses === null) continue;
    const first = byId.get(entry.reverses);
    if (first === undefined || !isOpposite(first, entry))
      problems.push(`entry ${entry.id} takes back ${entry.reverses}, and is not its opposite`);
    if (reversed.has(entry.reverses)) problems.push(`entry ${entry.reverses} is taken back twice`);
    reversed.add(entry.reverses);
  }
  return { live: entries.filter(({ id, reverses }) => reverses === null && !reversed.has(id)), problems };
}

function isOpposite(first: BookedEntry, back: BookedEntry): boolean {
  return (
    first.reverses === null &&
    first.amountAtomic === -back.amountAtomic &&
    first.asset === back.asset &&
    first.accountName === back.accountName &&
    first.party === back.party
  );
}

export const isNative = ({ asset }: BookedEntry): boolean => asset === NATIVE_ASSET;

/** Assets whose entries do not sum to zero, with the difference. */
export function unbalanced(entries: readonly BookedEntry[]): readonly (readonly [asset: string, off: bigint])[] {
  const sums = new Map<string, bigint>();
  for (const { network, asset, amountAtomic } of entries) {
    const key = `${asset} on ${network}`;
    sums.set(key, (sums.get(key) ?? 0n) + amountAtomic);
  }
  return [...sums].filter(([, sum]) => sum !== 0n);
}

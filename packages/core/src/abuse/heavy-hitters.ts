// Counts the subjects that occur most, in bounded memory, whoever invents names (Misra and Gries, in batches). When more than
// twice `capacity` subjects are kept, the weight of the one that ranks right behind `capacity` is taken off all, and those
// without weight leave. Of N occurrences a subject with more than N / capacity is therefore always kept, and its count is too
// low by at most N / capacity.

type CountedSubject = {
  readonly subject: string;
  readonly count: number;
  /** Of `count`, those that were paid for. */
  readonly paid: number;
};

export type HeavyHitters = {
  readonly add: (subject: string) => void;
  /** Ignored for a subject that is not kept. */
  readonly pay: (subject: string) => void;
  /** The subjects with most unpaid occurrences. */
  readonly top: (most: number) => readonly CountedSubject[];
};

type Kept = { weight: number; count: number; paid: number };

export function createHeavyHitters(capacity: number): HeavyHitters {
  const kept = new Map<string, Kept>();

  function shrink(): void {
    const weights = [...kept.values()].map(({ weight }) => weight).toSorted((a, b) => b - a);
    const off = weights[capacity] ?? 0;
    for (const [subject, entry] of kept) {
      entry.weight -= off;
      if (entry.weight <= 0) kept.delete(subject);
    }
  }

  return {
    add(subject) {
      const entry = kept.get(subject);
      if (entry === undefined) {
        kept.set(subject, { weight: 1, count: 1, paid: 0 });
        if (kept.size > 2 * capacity) shrink();
        return;
      }
      entry.weight += 1;
      entry.count += 1;
    },
    pay(subject) {
      const entry = kept.get(subject);
      if (entry !== undefined && entry.paid < entry.count) entry.paid += 1;
    },
    top: (most) =>
      [...kept]
        .map(([subject, { count, paid }]) => ({ subject, count, paid }))
        .toSorted((a, b) => b.count - b.paid - (a.count - a.paid))
        .slice(0, most),
  };
}

// What a process counts of its clients, by hour: refusals, intents created and streams opened, by address hash, key, account
// and payer. Bounded: an hour keeps the heaviest subjects of each cause and kind.
import { createHeavyHitters, type HeavyHitters } from './heavy-hitters.ts';

export const ABUSE_CAUSES = ['refused', 'created', 'streams'] as const;
export type AbuseCause = (typeof ABUSE_CAUSES)[number];
export const SUBJECT_KINDS = ['address', 'key', 'account', 'payer'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** Who did it, as far as it is known. */
export type AbuseSubjects = Readonly<Partial<Record<SubjectKind, string | undefined>>>;

export type AbuseCount = {
  readonly cause: AbuseCause;
  readonly kind: SubjectKind;
  readonly subject: string;
  readonly count: number;
  /** Of created intents: how many payments came from the same subject. */
  readonly paid: number;
};

/** The counts of one hour, complete: they replace what was written of that hour before. */
export type AbusePage = { readonly hourMs: number; readonly counts: readonly AbuseCount[] };

export type AbuseCounts = {
  readonly add: (cause: AbuseCause, subjects: AbuseSubjects, nowMs: number) => void;
  /** A payment was taken. */
  readonly pay: (subjects: AbuseSubjects, nowMs: number) => void;
  /** Hours that changed since they were written; the oldest first. */
  readonly toWrite: () => readonly AbusePage[];
  readonly written: (page: AbusePage, nowMs: number) => void;
};

export type AbuseCountLimits = {
  /** Subjects kept in memory, half of what a sketch may hold for a moment. */
  readonly kept: number;
  /** Subjects written, of each cause and kind. */
  readonly listed: number;
};

const HOUR_MS = 3_600_000;
/** Hours that wait for a database that does not answer. */
const MAX_HOURS = 2;

type Sketch = { readonly cause: AbuseCause; readonly kind: SubjectKind; readonly hitters: HeavyHitters };
type Hour = { readonly sketches: Map<string, Sketch>; changes: number; writtenChanges: number };

export function createAbuseCounts({ kept, listed }: AbuseCountLimits): AbuseCounts {
  const hours = new Map<number, Hour>();
  const reading = new WeakMap<AbusePage, number>();

  function hourAt(nowMs: number): Hour {
    const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
    const known = hours.get(hourMs);
    if (known !== undefined) return known;
    const hour = { sketches: new Map<string, Sketch>(), changes: 0, writtenChanges: 0 };
    hours.set(hourMs, hour);
    for (const old of [...hours.keys()].toSorted((a, b) => a - b).slice(0, -MAX_HOURS)) hours.delete(old);
    return hour;
  }

  function touch(cause: AbuseCause, subjects: AbuseSubjects, nowMs: number, act: 'add' | 'pay'): void {
    const hour = hourAt(nowMs);
    hour.changes += 1;
    for (const kind of SUBJECT_KINDS) {
      const subject = subjects[kind];
      if (subject === undefined) continue;
      const name = `${cause} ${kind}`;
      const sketch = hour.sketches.get(name) ?? { cause, kind, hitters: createHeavyHitters(kept) };
      hour.sketches.set(name, sketch);
      sketch.hitters[act](subject);
    }
  }

  return {
    add: (cause, subjects, nowMs) => touch(cause, subjects, nowMs, 'add'),
    pay: (subjects, nowMs) => touch('created', subjects, nowMs, 'pay'),
    toWrite: () =>
      [...hours]
        .filter(([, { changes, writtenChanges }]) => changes > writtenChanges)
        .toSorted(([a], [b]) => a - b)
        .map(([hourMs, { sketches, changes }]) => {
          const counts = [...sketches.values()].flatMap(({ cause, kind, hitters }) =>
            hitters.top(listed).map((counted) => ({ cause, kind, ...counted })),
          );
          const page = { hourMs, counts };
          reading.set(page, changes);
          return page;
        }),
    written(page, nowMs) {
      const hour = hours.get(page.hourMs);
      if (hour === undefined) return;
      hour.writtenChanges = reading.get(page) ?? hour.writtenChanges;
      if (page.hourMs + HOUR_MS <= nowMs && hour.changes === hour.writtenChanges) hours.delete(page.hourMs);
    },
  };
}

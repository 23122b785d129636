// Follows an account's events by polling a list that is newest first. An event may be committed after a later-created
// one, so every poll goes back by the longest time that a commit can take, and skips seen events by id. Compares only
// times of events, because this machine's clock may be wrong.

export type Followed = {
  readonly id: string;
  readonly type: string;
  readonly paymentIntentId: string;
  readonly sequence: number;
  readonly createdAt: string;
  readonly event: object;
};

/** Returns one page, newest first, of events created after the given time. */
export type ListEvents = (
  createdAfter: string | undefined,
  startingAfter: string | undefined,
) => Promise<{ readonly data: readonly Followed[]; readonly hasMore: boolean }>;

export type Follower = {
  /** Returns new events in order of creation. Throws what `list` throws; then no event counts as seen. */
  readonly poll: () => Promise<readonly Followed[]>;
};

/** Longest delay of a commit: a statement of the service ends after half a minute. */
export const LATE_MS = 30_000;

/** Starts at `sinceMs`, inclusive. Undefined: events found by the first poll count as seen, and later ones are new. */
export function createFollower(list: ListEvents, sinceMs: number | undefined): Follower {
  let fromMs = sinceMs;
  const seen = new Map<string, number>();

  const readAll = async (): Promise<readonly Followed[]> => {
    const events: Followed[] = [];
    // The bound of the list is exclusive.
    const after = fromMs === undefined ? undefined : isoOf(fromMs - 1);
    for (let cursor: string | undefined; ; ) {
      const { data, hasMore } = await list(after, cursor);
      events.push(...data);
      const [newest, oldest] = [events[0], data.at(-1)];
      if (!hasMore || newest === undefined || oldest === undefined) return events;
      if (fromMs === undefined && msOf(oldest) < msOf(newest) - LATE_MS) return events;
      cursor = oldest.id;
    }
  };

  return {
    poll: async () => {
      const first = fromMs === undefined;
      const events = await readAll();
      const fresh = events.filter(({ id }) => !seen.has(id)).toSorted(byHappening);
      for (const event of fresh) seen.set(event.id, msOf(event));
      const newestMs = fresh.reduce((newest, event) => Math.max(newest, msOf(event)), 0);
      fromMs = Math.max(fromMs ?? 0, newestMs - LATE_MS);
      for (const [id, atMs] of seen) if (atMs < fromMs) seen.delete(id);
      return first ? [] : fresh;
    },
  };
}

const msOf = ({ createdAt }: Followed) => Date.parse(createdAt);
const isoOf = (ms: number) => new Date(Math.max(0, ms)).toISOString();

function byHappening(one: Followed, other: Followed): number {
  return (
    msOf(one) - msOf(other) || one.paymentIntentId.localeCompare(other.paymentIntentId) || one.sequence - other.sequence
  );
}

// Remembers events in the merchant's own PostgreSQL, over all its processes. Time is the database's, so the clocks of the
// processes need not agree. Each operation is one statement: it holds no transaction while work runs.
import type { EventStore } from './event-store.ts';

/** A `pg` pool or client, or anything that answers like one. */
export type PostgresClient = {
  readonly query: (
    text: string,
    values: unknown[],
  ) => Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>;
};

/** Run it once, with the migrations of your application. */
export const POSTGRES_EVENT_TABLE = `
create table if not exists svc_pay_events (
  event_id    text primary key,
  holder      text not null,
  lease_ends  timestamptz not null,
  done_at     timestamptz
);
create index if not exists svc_pay_events_done_at on svc_pay_events (done_at);
`;

const CLAIM = `
insert into svc_pay_events as held (event_id, holder, lease_ends)
values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
on conflict (event_id) do update set holder = excluded.holder, lease_ends = excluded.lease_ends
where held.done_at is null and held.lease_ends <= clock_timestamp()`;

const IS_DONE = `select 1 from svc_pay_events where event_id = $1 and done_at is not null`;

const RENEW = `
update svc_pay_events set lease_ends = clock_timestamp() + $3 * interval '1 millisecond'
where event_id = $1 and holder = $2 and done_at is null`;

// Also when a late release of another holder has removed the row.
const COMPLETE = `
insert into svc_pay_events as held (event_id, holder, lease_ends, done_at)
values ($1, '', clock_timestamp(), clock_timestamp())
on conflict (event_id) do update set done_at = excluded.done_at where held.done_at is null`;

const RELEASE = `delete from svc_pay_events where event_id = $1 and holder = $2 and done_at is null`;

const FORGET = `delete from svc_pay_events where done_at < clock_timestamp() - $1 * interval '1 day'`;

export type PostgresStore = EventStore & {
  /**
   * Deletes what was done more than so many days ago, and says how many events that were. Keep more days than the sender
   * goes on trying: 4 by default, at most 30, and as long as you may ask for replays.
   */
  readonly forget: (olderThanDays: number) => Promise<number>;
};

export function createPostgresStore(client: PostgresClient): PostgresStore {
  const changed = async (text: string, values: unknown[]) => (await client.query(text, values)).rowCount ?? 0;
  return {
    claim: async (eventId, holder, leaseMs) => {
      if ((await changed(CLAIM, [eventId, holder, leaseMs])) > 0) return 'claimed';
      return (await client.query(IS_DONE, [eventId])).rows.length > 0 ? 'done' : 'held';
    },
    renew: async (eventId, holder, leaseMs) => (await changed(RENEW, [eventId, holder, leaseMs])) > 0,
    complete: async (eventId) => {
      await changed(COMPLETE, [eventId]);
    },
    release: async (eventId, holder) => {
      await changed(RELEASE, [eventId, holder]);
    },
    forget: (olderThanDays) => changed(FORGET, [olderThanDays]),
  };
}

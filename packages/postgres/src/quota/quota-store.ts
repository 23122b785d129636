// Leases of quota: one statement for all buckets of a process. Buckets are locked in the order of their names, so that two
// processes never deadlock. The arithmetic is `grantChunk` of core, in SQL because a round is one statement.
import {
  type ChunkAsk,
  type LeaseAnswer,
  type LeaseRound,
  MAX_FULL_IN_WINDOWS,
  type OpenStreams,
  PROCESS_LIFE_MS,
  type QuotaStore,
} from '@svc-pay/core';
import type pg from 'pg';
import { columnArrays, namedParameters } from '../database/statement-parameters.ts';

const GIVEN = namedParameters({ process: 'text', now: 'numeric', watched: 'text[]' });
const ASKED = columnArrays<ChunkAsk>(
  {
    name: ['text', ({ name }) => name],
    size: ['numeric', ({ quota }) => String(quota.size)],
    window_ms: ['numeric', ({ quota }) => String(quota.windowMs)],
    charge: ['numeric', ({ charge }) => String(charge)],
    wanted: ['numeric', ({ wanted }) => String(wanted)],
  },
  GIVEN.next,
);
const STREAMS = columnArrays<OpenStreams>(
  { name: ['text', ({ name }) => name], open: ['integer', ({ open }) => open] },
  ASKED.next,
);
const { process, now, watched } = GIVEN.at;

/** Time at which a bucket is full after the charge. `at` names the row with the ask. */
const chargedAt = (fullAt: string, at: string) => `
  least(
    greatest(${at}.asked_at, greatest(${fullAt}, ${at}.asked_at) + ${at}.charge * ${at}.window_ms / ${at}.size),
    ${at}.asked_at + ${MAX_FULL_IN_WINDOWS} * ${at}.window_ms
  )`;
const grantOf = (fullAt: string, at: string) => `
  greatest(0, least(
    ${at}.wanted,
    floor(${at}.size * (1 - (${chargedAt(fullAt, at)} - ${at}.asked_at) / ${at}.window_ms) + 0.001)
  ))`;
const fullAfter = (fullAt: string, at: string) =>
  `${chargedAt(fullAt, at)} + ${grantOf(fullAt, at)} * ${at}.window_ms / ${at}.size`;

// The clock is the database's, which is one for all processes. The commit does not wait for the disk.
const LEASE = {
  name: 'lease-quota',
  text: `
    with clock as materialized (
      select coalesce(${now}, extract(epoch from clock_timestamp()) * 1000)::double precision as now_ms,
        set_config('synchronous_commit', 'off', true)
    ),
    alive as (
      insert into svc.quota_processes (id, seen_at) select ${process}, now_ms from clock
      on conflict (id) do update set seen_at = excluded.seen_at
    ),
    asked as materialized (
      select name, size::double precision, window_ms::double precision, charge::double precision,
        wanted::double precision, now_ms as asked_at
      from ${ASKED.unnest('given')}, clock
    ),
    leased as (
      insert into svc.quota_buckets as bucket (name, full_at, granted, size, window_ms, charge, wanted, asked_at)
      select name, ${fullAfter('asked_at', 'asked')}, ${grantOf('asked_at', 'asked')}, size, window_ms, charge, wanted,
        asked_at
      from asked order by name
      on conflict (name) do update set
        full_at = ${fullAfter('bucket.full_at', 'excluded')}, granted = ${grantOf('bucket.full_at', 'excluded')},
        size = excluded.size, window_ms = excluded.window_ms, charge = excluded.charge, wanted = excluded.wanted,
        asked_at = excluded.asked_at
      returning name, granted, full_at - asked_at as full_in_ms
    ),
    closed_streams as (
      delete from svc.quota_streams
      where process = ${process} and name in (select name from ${STREAMS.unnest('given')} where open = 0)
    ),
    open_streams as (
      insert into svc.quota_streams (name, process, open)
      select name, ${process}, open from ${STREAMS.unnest('given')} where open > 0 order by name
      on conflict (name, process) do update set open = excluded.open
    )
    select
      (select json_agg(leased) from leased) as grants,
      (
        select 1 + count(*)::integer from svc.quota_processes, clock
        where id <> ${process} and seen_at > now_ms - ${PROCESS_LIFE_MS}
      ) as live,
      (
        select json_object_agg(name, open) from (
          select streams.name, sum(streams.open)::integer as open from svc.quota_streams streams
          join svc.quota_processes other on other.id = streams.process, clock
          where streams.name = any (${watched}) and streams.process <> ${process}
            and other.seen_at > now_ms - ${PROCESS_LIFE_MS}
          group by streams.name
        ) elsewhere
      ) as elsewhere`,
};

type Row = {
  readonly grants: readonly { readonly name: string; readonly granted: number; readonly full_in_ms: number }[] | null;
  readonly live: number;
  readonly elsewhere: Readonly<Record<string, number>> | null;
};

/** A bucket that is full, and was so for a while, says nothing. */
const EXPIRE_BUCKETS = {
  name: 'expire-quota-buckets',
  text: `
    delete from svc.quota_buckets where name in (
      select name from svc.quota_buckets
      where full_at < coalesce($1::numeric, extract(epoch from clock_timestamp()) * 1000)::double precision - 1000
      order by name limit 20000 for update skip locked
    )`,
};
const EXPIRE_PROCESSES = {
  name: 'expire-quota-processes',
  text: `
    with gone as (
      delete from svc.quota_processes
      where seen_at < coalesce($1::numeric, extract(epoch from clock_timestamp()) * 1000)::double precision - 60000
      returning id
    )
    delete from svc.quota_streams where process in (select id from gone)`,
};
const LEAVE = {
  name: 'leave-quota',
  text: `
    with left_streams as (delete from svc.quota_streams where process = $1)
    delete from svc.quota_processes where id = $1`,
};

export type QuotaStoreOptions = {
  /** Identifies the process. */
  readonly process: string;
  /** Only tests set it. Without it the clock is the database's. */
  readonly nowMs?: () => number;
};

export function createQuotaStore(pool: pg.Pool, { process: id, nowMs }: QuotaStoreOptions): QuotaStore {
  const clock = () => (nowMs === undefined ? null : String(nowMs()));
  return {
    async lease({ asks, streams, watched: names }: LeaseRound): Promise<LeaseAnswer> {
      const { rows } = await pool.query<Row>({
        ...LEASE,
        values: [
          ...GIVEN.values({ process: id, now: clock(), watched: names }),
          ...ASKED.values(asks),
          ...STREAMS.values(streams),
        ],
      });
      const [row] = rows;
      if (row === undefined) throw new Error(`the lease of ${asks.length} quotas has no answer`);
      return {
        grants: (row.grants ?? []).map(({ full_in_ms: fullInMs, ...grant }) => ({ ...grant, fullInMs })),
        live: row.live,
        elsewhere: new Map(Object.entries(row.elsewhere ?? {})),
      };
    },
    async expire() {
      await pool.query({ ...EXPIRE_BUCKETS, values: [clock()] });
      await pool.query({ ...EXPIRE_PROCESSES, values: [clock()] });
    },
    async leave() {
      await pool.query({ ...LEAVE, values: [id] });
    },
  };
}

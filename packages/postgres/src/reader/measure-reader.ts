// Numbers for the gauges of the chain reader, per network and kind of source.
import { isoTime, READER_LIMITS, type SourceKind } from '@svc-pay/core';
import type pg from 'pg';

export type ReaderMeasures = {
  readonly cursors: readonly {
    readonly network: string;
    readonly kind: SourceKind;
    /** Of the source that is furthest behind. */
    readonly block: number;
    readonly lagSeconds: number;
  }[];
  /** Logs that are read and not applied. */
  readonly unapplied: readonly {
    readonly network: string;
    readonly count: number;
    /** Time since the oldest was read; 0 when the count is 0. */
    readonly oldestSeconds: number;
    /** Of these, final logs that have waited too long for their lane, or for nodes to agree. */
    readonly late: number;
  }[];
  /** References of networks that have one. */
  readonly references: readonly {
    readonly network: string;
    readonly count: number;
    /** Time since the one that waits longest should have been read; 0 when none waits. */
    readonly lateSeconds: number;
    /** Of these, references with a transaction that can't be decided. */
    readonly undecided: number;
  }[];
  /** Token ledgers of networks that have one. */
  readonly tokenLedgers: readonly {
    readonly network: string;
    /** Canister ids of the ledgers that have a cursor. */
    readonly ledgers: readonly string[];
    /** Time since every ledger was read to its end; since 1970 for one that never was. */
    readonly lateSeconds: number;
    /** Ledgers whose blocks do not continue what was read. */
    readonly stopped: number;
    /** Transfers that are read and not applied, and the time since the oldest was found. */
    readonly transfers: number;
    readonly oldestSeconds: number;
  }[];
};

const CURSORS = `
  select network, kind, min(block_number)::float8 as block,
    greatest(extract(epoch from $1::timestamptz) - min(block_time), 0)::float8 as "lagSeconds"
  from svc.reader_cursors group by network, kind`;
const UNAPPLIED = `
  select network.network, count(r.created_at)::integer as count,
    coalesce(greatest(extract(epoch from $1::timestamptz - min(r.created_at)), 0), 0)::float8 as "oldestSeconds",
    (count(*) filter (where r.waits_since <= $1::timestamptz - $2 * interval '1 millisecond'))::integer as late
  from (select distinct network from svc.reader_cursors) network left join svc.read_logs r using (network)
  group by network.network`;

const REFERENCES = `
  select network, count(*)::integer as count, count(waits_since)::integer as undecided,
    greatest(extract(epoch from $1::timestamptz - min(next_read_at)), 0)::float8 as "lateSeconds"
  from svc.payment_references group by network`;

const TOKEN_LEDGERS = `
  select network, array_agg(ledger order by ledger) as ledgers, count(stopped_at)::integer as stopped,
    greatest(extract(epoch from $1::timestamptz - min(coalesce(read_at, 'epoch'))), 0)::float8 as "lateSeconds",
    coalesce(max(waiting.count), 0)::integer as transfers, coalesce(max(waiting.seconds), 0)::float8 as "oldestSeconds"
  from svc.icrc_cursors
  left join (
    select network, count(*) as count, greatest(extract(epoch from $1::timestamptz - min(found_at)), 0) as seconds
    from svc.icrc_transfers group by network
  ) waiting using (network)
  group by network`;

export async function measureReader(pool: pg.Pool, nowMs: number): Promise<ReaderMeasures> {
  const [cursors, unapplied, references, tokenLedgers] = await Promise.all([
    pool.query<ReaderMeasures['cursors'][number]>(CURSORS, [isoTime(nowMs)]),
    pool.query<ReaderMeasures['unapplied'][number]>(UNAPPLIED, [isoTime(nowMs), READER_LIMITS.laneMs]),
    pool.query<ReaderMeasures['references'][number]>(REFERENCES, [isoTime(nowMs)]),
    pool.query<ReaderMeasures['tokenLedgers'][number]>(TOKEN_LEDGERS, [isoTime(nowMs)]),
  ]);
  return {
    cursors: cursors.rows,
    unapplied: unapplied.rows,
    references: references.rows,
    tokenLedgers: tokenLedgers.rows,
  };
}

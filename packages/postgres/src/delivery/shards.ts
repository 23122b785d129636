// Shards of the delivery queue: which shard has an endpoint, lease and heartbeat of each shard, and its fence.
import { isoTime, type Shard, type ShardLease } from '@svc-pay/core';
import type pg from 'pg';
import { isDue } from './is-due.ts';

/** SQL for the index of the shard that has an endpoint. */
export const shardOf = (endpointId: string, count: string): string =>
  `((hashtextextended(${endpointId}, 0) & 2147483647) % ${count})::integer`;

/** A process of the release before takes a shard over without the epoch that says that it reads leases. */
const IS_OLDER = 'shard.lease_epoch < shard.epoch';
/** As long as a lease: by then nothing that was leased beside the older process is leased still. */
const OLDER_GONE_AFTER = `interval '1 minute'`;

/** SQL for whether a process of the release before works on deliveries, or did until a moment ago. */
export const olderProcessWorks = (now: string): string => `(select exists (
  select from svc.delivery_shards shard
  where (${IS_OLDER} and shard.heartbeat_at > ${now}::timestamptz - ${OLDER_GONE_AFTER})
    or shard.older_seen_at > ${now}::timestamptz - ${OLDER_GONE_AFTER}
))`;

const TAKE_OVER = {
  name: 'shard-take-over',
  text: `
    insert into svc.delivery_shards as shard (drain, shard, epoch, lease_epoch, awake, heartbeat_at)
    values ($1, $2, 1, 1, true, $3)
    on conflict (drain, shard) do update
    set epoch = shard.epoch + 1, lease_epoch = shard.epoch + 1, awake = true, heartbeat_at = $3,
      older_seen_at = case when ${IS_OLDER} then $3 else shard.older_seen_at end
    returning epoch`,
};

/** Takes the lease and returns the new epoch. The process that had the lease finds out at its next heartbeat. */
export async function takeOverShard(pool: pg.Pool, { drain, index }: Shard, nowMs: number): Promise<string> {
  const { rows } = await pool.query<{ epoch: string }>({ ...TAKE_OVER, values: [drain, index, isoTime(nowMs)] });
  const [row] = rows;
  if (row === undefined) throw new Error(`shard ${index} of ${drain} could not be taken over: its row was not written`);
  return row.epoch;
}

const HEARTBEAT = {
  name: 'shard-heartbeat',
  text: 'update svc.delivery_shards set heartbeat_at = $4 where drain = $1 and shard = $2 and epoch = $3',
};

/** False when another process has taken over the shard. */
export async function heartbeatShard(
  pool: pg.Pool,
  { drain, index, epoch }: ShardLease,
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await pool.query({ ...HEARTBEAT, values: [drain, index, epoch, isoTime(nowMs)] });
  return rowCount === 1;
}

/** Rows read from the head of the queue. When it is full, rows behind it may belong to any shard. */
const HEAD = 500;
const FIND_SLEEPERS = {
  name: 'find-sleeping-shards',
  text: `
    with head as materialized (
      select ${shardOf('d.endpoint_id', '$2')} as shard from svc.deliveries d
      where d.status = 'pending' and ${isDue('d', '$3')} and d.mode = any ($5::text[]) order by d.next_at limit ${HEAD}
    ),
    wanted as (
      select shard from head
      union select index from generate_series(0, $2 - 1) as index where (select count(*) from head) = ${HEAD}
    )
    insert into svc.delivery_shards as shard (drain, shard, awake, heartbeat_at)
    select $1, wanted.shard, true, $3 from wanted
    where not exists (
      select from svc.delivery_shards known
      where known.drain = $1 and known.shard = wanted.shard and known.awake and known.heartbeat_at >= $4
    )
    on conflict (drain, shard) do update set awake = true, heartbeat_at = $3
    returning shard.shard`,
};

/**
 * Shards with due deliveries that are asleep or without a heartbeat since `silentSinceMs`. The call marks them awake.
 */
export async function findSleepingShards(
  pool: pg.Pool,
  { drain, count }: Pick<Shard, 'drain' | 'count'>,
  modes: readonly string[],
  nowMs: number,
  silentSinceMs: number,
): Promise<readonly number[]> {
  const { rows } = await pool.query<{ shard: number }>({
    ...FIND_SLEEPERS,
    values: [drain, count, isoTime(nowMs), isoTime(silentSinceMs), modes],
  });
  return rows.map(({ shard }) => shard);
}

// Shards as rows: who looks after an endpoint, whether anybody is at it, and a fence against who was replaced.
import { type HeldShard, isoTime, type Shard } from '@svc-pay/core';
import type pg from 'pg';

/** In SQL, whether an endpoint belongs to a shard. */
export const shardOf = (endpointId: string, count: string): string =>
  `((hashtextextended(${endpointId}, 0) & 2147483647) % ${count})::integer`;

const TAKE_OVER = {
  name: 'shard-take-over',
  text: `
    insert into svc.delivery_shards as shard (drain, shard, epoch, awake, beat_at) values ($1, $2, 1, true, $3)
    on conflict (drain, shard) do update set epoch = shard.epoch + 1, awake = true, beat_at = $3
    returning epoch`,
};

/** From here on whoever held the shard finds that it does not. */
export async function takeOverShard(pool: pg.Pool, { drain, index }: Shard, nowMs: number): Promise<string> {
  const { rows } = await pool.query<{ epoch: string }>({ ...TAKE_OVER, values: [drain, index, isoTime(nowMs)] });
  const [row] = rows;
  if (row === undefined) throw new Error(`no shard ${index} of ${drain}`);
  return row.epoch;
}

const BEAT = {
  name: 'shard-beat',
  text: 'update svc.delivery_shards set beat_at = $4 where drain = $1 and shard = $2 and epoch = $3',
};

/** A sign of life. False when somebody else has taken over. */
export async function beatShard(pool: pg.Pool, { drain, index, epoch }: HeldShard, nowMs: number): Promise<boolean> {
  const { rowCount } = await pool.query({ ...BEAT, values: [drain, index, epoch, isoTime(nowMs)] });
  return rowCount === 1;
}

/** As much of the queue's head as is looked at. When it is full, what lies behind may be anybody's. */
const HEAD = 500;
const FIND_SLEEPERS = {
  name: 'find-sleeping-shards',
  text: `
    with head as materialized (
      select ${shardOf('endpoint_id', '$2')} as shard from svc.deliveries
      where status = 'pending' and next_at <= $3 and mode = any ($5::text[]) order by next_at limit ${HEAD}
    ),
    wanted as (
      select shard from head
      union select index from generate_series(0, $2 - 1) as index where (select count(*) from head) = ${HEAD}
    )
    insert into svc.delivery_shards as shard (drain, shard, awake, beat_at)
    select $1, wanted.shard, true, $3 from wanted
    where not exists (
      select from svc.delivery_shards known
      where known.drain = $1 and known.shard = wanted.shard and known.awake and known.beat_at >= $4
    )
    on conflict (drain, shard) do update set awake = true, beat_at = $3
    returning shard.shard`,
};

/** Shards with something due and nobody at it since `silentSinceMs`; they count as awake from now on. */
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

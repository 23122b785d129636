// Endpoints of a shard that have something due. Usually few rows are due, and those name their endpoints. When one endpoint
// holds the whole head of the queue, the index by endpoint is walked from one to the next instead, so that a backlog of
// a hundred thousand costs as much as one of five.
import { isoTime, type Mode } from '@svc-pay/core';
import type pg from 'pg';
import { type Shard, shardOf } from './shards.ts';

export type DueEndpoint = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly endpointId: string;
  /** False for one that is off or deleted, or was never there. */
  readonly enabled: boolean;
};

type Row = {
  readonly account_id: string;
  readonly mode: Mode;
  readonly endpoint_id: string;
  readonly enabled: boolean;
  readonly seen: number;
};

const HEAD = 500;
const FROM_HEAD = {
  name: 'due-endpoints-from-head',
  text: `
    with head as materialized (
      select account_id, mode, endpoint_id from svc.deliveries
      where status = 'pending' and next_at <= $3 and mode = any ($4::text[]) order by next_at limit ${HEAD}
    ),
    due as materialized (
      select account_id, mode, endpoint_id from head where ${shardOf('endpoint_id', '$2')} = $1
      group by account_id, mode, endpoint_id
    )
    select due.account_id, due.mode, due.endpoint_id, coalesce(endpoint.status = 'enabled', false) as enabled,
      (select count(*)::integer from head) as seen
    from due
    left join svc.endpoints endpoint
      on endpoint.account_id = due.account_id and endpoint.mode = due.mode and endpoint.id = due.endpoint_id`,
};

const WALK_LIMIT = 200;
const WALK = {
  name: 'due-endpoints-by-walk',
  text: `
    with recursive waiting as (
      select * from (
        select account_id, mode, endpoint_id from svc.deliveries
        where status = 'pending' and endpoint_id > $5 order by endpoint_id limit 1
      ) first
      union all
      select following.* from waiting cross join lateral (
        select d.account_id, d.mode, d.endpoint_id from svc.deliveries d
        where d.status = 'pending' and d.endpoint_id > waiting.endpoint_id order by d.endpoint_id limit 1
      ) following
    )
    select waiting.account_id, waiting.mode, waiting.endpoint_id, coalesce(endpoint.status = 'enabled', false) as enabled,
      0 as seen
    from waiting
    left join svc.endpoints endpoint
      on endpoint.account_id = waiting.account_id and endpoint.mode = waiting.mode and endpoint.id = waiting.endpoint_id
    where ${shardOf('waiting.endpoint_id', '$2')} = $1 and waiting.mode = any ($4::text[])
      and exists (
        select from svc.deliveries d
        where d.status = 'pending' and d.endpoint_id = waiting.endpoint_id and d.next_at <= $3
      )
    limit ${WALK_LIMIT}`,
};

export type DueEndpoints = {
  readonly endpoints: readonly DueEndpoint[];
  /** Where the next look goes on; empty when this one saw them all. */
  readonly after: string;
};

export async function findDueEndpoints(
  pool: pg.Pool,
  { index, count }: Shard,
  modes: readonly string[],
  nowMs: number,
  after: string,
): Promise<DueEndpoints> {
  const values = [index, count, isoTime(nowMs), modes];
  const { rows: head } = await pool.query<Row>({ ...FROM_HEAD, values });
  if (head[0] !== undefined ? head[0].seen < HEAD : !(await headIsFull(pool, nowMs, modes))) {
    return { endpoints: head.map(endpointOf), after: '' };
  }
  const { rows } = await pool.query<Row>({ ...WALK, values: [...values, after] });
  const last = rows.length < WALK_LIMIT ? '' : (rows.at(-1)?.endpoint_id ?? '');
  return { endpoints: rows.map(endpointOf), after: last };
}

async function headIsFull(pool: pg.Pool, nowMs: number, modes: readonly string[]): Promise<boolean> {
  const { rows } = await pool.query<{ count: number }>({
    name: 'due-head-size',
    text: `
      select count(*)::integer as count from (
        select from svc.deliveries where status = 'pending' and next_at <= $1 and mode = any ($2::text[])
        order by next_at limit ${HEAD}
      ) head`,
    values: [isoTime(nowMs), modes],
  });
  return rows[0]?.count === HEAD;
}

function endpointOf({ account_id, mode, endpoint_id, enabled }: Row): DueEndpoint {
  return { accountId: account_id, mode, endpointId: endpoint_id, enabled };
}

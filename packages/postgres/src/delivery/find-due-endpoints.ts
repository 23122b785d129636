// Finds the endpoints of a shard with due deliveries. Usually few deliveries are due, and
// their rows name the endpoints. When a backlog fills the head of the queue, the index by
// endpoint is walked from endpoint to endpoint instead, so that the cost does not depend
// on the number of rows; and the tail of the queue names the endpoints with fresh events.
import {
  type DueEndpoint,
  ENDPOINT_STATUS,
  type FoundEndpoints,
  isoTime,
  type Mode,
  type Shard,
  type WalkedEndpoints,
} from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import { inQueueOrder, queueOrder } from '../endpoint/queue-order.ts';
import { isDue } from './is-due.ts';
import { shardOf } from './shards.ts';

const IS_ENABLED = sqlIs(ENDPOINT_STATUS.enabled);

type Row = {
  readonly account_id: string;
  readonly mode: Mode;
  readonly endpoint_id: string;
  readonly enabled: boolean;
  readonly seen: number;
};

/** A scalar query, so that it is one index lookup per row: docs/internals/planner-rules.md, rule 6. */
const isEnabled = (row: string) => `coalesce((
  select e.status ${IS_ENABLED} from svc.endpoints e
  where e.account_id = ${row}.account_id and e.mode = ${row}.mode and e.id = ${row}.endpoint_id limit 1
), false)`;

const HEAD = 500;
const fromOneEnd = (name: string, order: 'asc' | 'desc', since = '') => ({
  name,
  text: `
    with rows_there as materialized (
      select d.account_id, d.mode, d.endpoint_id from svc.deliveries d
      where d.status = 'pending' and ${isDue('d', '$3')} and d.mode = any ($4::text[]) ${since}
      order by d.next_at ${order} limit ${HEAD}
    ),
    due as materialized (
      select account_id, mode, endpoint_id from rows_there where ${shardOf('endpoint_id', '$2')} = $1
      group by account_id, mode, endpoint_id
    )
    select due.account_id, due.mode, due.endpoint_id, ${isEnabled('due')} as enabled,
      (select count(*)::integer from rows_there) as seen
    from due`,
});
const FROM_HEAD = fromOneEnd('due-endpoints-from-head', 'asc');
// Bounded by time: deliveries that are due later, or parked, and then ended
// leave dead index entries there, and a backward scan reads them all.
const FROM_TAIL = fromOneEnd('due-endpoints-from-tail', 'desc', 'and d.next_at > $5');
const FRESH_MS = 3_000;

const WALK_LIMIT = 1_000;
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
    select waiting.account_id, waiting.mode, waiting.endpoint_id, ${isEnabled('waiting')} as enabled, 0 as seen
    from waiting
    where ${shardOf('waiting.endpoint_id', '$2')} = $1 and waiting.mode = any ($4::text[])
      and (
        -- As an exists it is a join, by the index of what is due for everybody: docs/internals/planner-rules.md, rules 6 and 10.
        select true from svc.deliveries d
        where d.status = 'pending' and d.endpoint_id = waiting.endpoint_id and ${inQueueOrder('d')} and ${isDue('d', '$3')}
        order by ${queueOrder('d')} limit 1
      )
    limit ${WALK_LIMIT}`,
};

/** Endpoints of the deliveries that have been due for longest. */
export async function findDueEndpoints(
  pool: pg.Pool,
  { index, count }: Shard,
  modes: readonly string[],
  nowMs: number,
): Promise<FoundEndpoints> {
  const { rows } = await pool.query<Row>({ ...FROM_HEAD, values: [index, count, isoTime(nowMs), modes] });
  const full = rows[0] === undefined ? await headIsFull(pool, nowMs, modes) : rows[0].seen === HEAD;
  return { endpoints: rows.map(endpointOf), all: !full };
}

/** Endpoints of the deliveries that became due in the last seconds. */
export async function findFreshEndpoints(
  pool: pg.Pool,
  { index, count }: Shard,
  modes: readonly string[],
  nowMs: number,
): Promise<readonly DueEndpoint[]> {
  const values = [index, count, isoTime(nowMs), modes, isoTime(nowMs - FRESH_MS)];
  const { rows } = await pool.query<Row>({ ...FROM_TAIL, values });
  return rows.map(endpointOf);
}

/** Endpoints with due deliveries in the order of ids, at a cost independent of how many deliveries each has. */
export async function walkDueEndpoints(
  pool: pg.Pool,
  { index, count }: Shard,
  modes: readonly string[],
  nowMs: number,
  after: string,
): Promise<WalkedEndpoints> {
  const { rows } = await pool.query<Row>({ ...WALK, values: [index, count, isoTime(nowMs), modes, after] });
  const last = rows.length < WALK_LIMIT ? '' : (rows.at(-1)?.endpoint_id ?? '');
  return { endpoints: rows.map(endpointOf), after: last };
}

async function headIsFull(pool: pg.Pool, nowMs: number, modes: readonly string[]): Promise<boolean> {
  const { rows } = await pool.query<{ count: number }>({
    name: 'due-head-size',
    text: `
      select count(*)::integer as count from (
        select from svc.deliveries d where d.status = 'pending' and ${isDue('d', '$1')} and d.mode = any ($2::text[])
        order by d.next_at limit ${HEAD}
      ) head`,
    values: [isoTime(nowMs), modes],
  });
  return rows[0]?.count === HEAD;
}

function endpointOf({ account_id, mode, endpoint_id, enabled }: Row): DueEndpoint {
  return { accountId: account_id, mode, endpointId: endpoint_id, enabled };
}

// Numbers for the delivery gauges.
import { ENDPOINT_STATUS, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import { isDue } from './is-due.ts';

export type DeliveryMeasures = {
  /**
   * Deliveries that are due and not leased. Those of failing endpoints are counted separately, because they wait on
   * purpose. Only the 10,000 that have been due longest are counted.
   */
  readonly due: readonly {
    readonly health: 'well' | 'failing';
    readonly count: number;
    readonly oldestSeconds: number;
  }[];
  /** Enabled endpoints whose attempts have all failed since `failing_since`. */
  readonly failing: readonly { readonly mode: string; readonly count: number; readonly longestSeconds: number }[];
  readonly off: readonly { readonly mode: string; readonly reason: string; readonly count: number }[];
};

/** Counting a larger backlog would tell nothing more and only add load. */
const MOST_COUNTED = 10_000;

const DUE = `
  with head as materialized (
    select d.account_id, d.mode, d.endpoint_id, d.next_at from svc.deliveries d
    where d.status = 'pending' and ${isDue('d', '$1')} and d.mode = any ($2::text[]) order by d.next_at limit ${MOST_COUNTED}
  ),
  seen as (
    select case when endpoint.failing_since is null then 'well' else 'failing' end as health, head.next_at
    from head
    join svc.endpoints endpoint
      on endpoint.account_id = head.account_id and endpoint.mode = head.mode and endpoint.id = head.endpoint_id
  )
  select health, count(seen.next_at)::integer as count,
    coalesce(extract(epoch from $1::timestamptz - min(seen.next_at)), 0)::float8 as "oldestSeconds"
  from unnest(array['well', 'failing']) as health left join seen using (health) group by health`;
const FAILING = `
  select mode, count(*)::integer as count,
    coalesce(max(extract(epoch from $1::timestamptz - failing_since)), 0)::float8 as "longestSeconds"
  from svc.endpoints where status ${sqlIs(ENDPOINT_STATUS.enabled)} and failing_since is not null and mode = any ($2::text[]) group by mode`;
const OFF = `
  select mode, coalesce(disabled_reason, 'unknown') as reason, count(*)::integer as count
  from svc.endpoints where status ${sqlIs(ENDPOINT_STATUS.disabled)} and mode = any ($1::text[]) group by 1, 2`;

export async function measureDeliveries(
  pool: pg.Pool,
  modes: readonly string[],
  nowMs: number,
): Promise<DeliveryMeasures> {
  const now = isoTime(nowMs);
  const [due, failing, off] = await Promise.all([
    pool.query<DeliveryMeasures['due'][number]>(DUE, [now, modes]),
    pool.query<DeliveryMeasures['failing'][number]>(FAILING, [now, modes]),
    pool.query<DeliveryMeasures['off'][number]>(OFF, [modes]),
  ]);
  return { due: due.rows, failing: failing.rows, off: off.rows };
}

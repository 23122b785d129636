// Takes due deliveries of an endpoint that is not enabled out
// of the queue: parked if it is disabled, discarded if deleted.
import { type EndpointKey, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';

const AT_ONCE = 1_000;
const DUE = `
  select account_id, mode, event_id, endpoint_id from svc.deliveries
  where status = 'pending' and endpoint_id = $3 and next_at <= $4 and account_id = $1 and mode = $2
  order by next_at limit ${AT_ONCE} for update skip locked`;
const SAME = `d.account_id = due.account_id and d.mode = due.mode and d.event_id = due.event_id
  and d.endpoint_id = due.endpoint_id`;
// A delivery whose lease still runs is not due. The new fence shuts out a sender whose lease ran out.
const PARK = `
  with due as materialized (${DUE})
  update svc.deliveries d set next_at = 'infinity', lease_until = null, fence = d.fence + 1 from due where ${SAME}`;
const DISCARD = `
  with due as materialized (${DUE})
  update svc.deliveries d
  set status = 'discarded', next_at = null, lease_until = null, fence = d.fence + 1, finished_at = $4, reason = $5
  from due where ${SAME}`;

/** Returns how many were taken out of the queue. To be called again until it returns 0. */
export async function stopDeliveries(pool: pg.Pool, endpoint: EndpointKey, nowMs: number): Promise<number> {
  const { accountId, mode, endpointId } = endpoint;
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ status: string }>(
      `select status from svc.endpoints where account_id = $1 and mode = $2 and id = $3 for no key update`,
      [accountId, mode, endpointId],
    );
    const status = rows[0]?.status;
    if (status === 'enabled') return 0;
    const values = [accountId, mode, endpointId, isoTime(nowMs)];
    const { rowCount } =
      status === 'disabled'
        ? await client.query(PARK, values)
        : await client.query(DISCARD, [...values, status === 'deleted' ? 'endpoint_deleted' : 'endpoint_unknown']);
    return rowCount ?? 0;
  });
}

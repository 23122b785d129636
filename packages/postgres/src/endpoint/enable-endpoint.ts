// Enables a disabled webhook endpoint. The deliveries that it missed become due now, with all their retries.
import { type EndpointKey, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';

/** Number of deliveries that become due; undefined when the endpoint does not exist or is not disabled. */
export const enableEndpoint = (pool: pg.Pool, endpoint: EndpointKey, nowMs: number): Promise<number | undefined> =>
  inTransaction(pool, (client) => enableWithin(client, endpoint, nowMs));

/** `enableEndpoint` within the caller's transaction. */
export async function enableWithin(
  client: pg.ClientBase,
  { accountId, mode, endpointId }: EndpointKey,
  nowMs: number,
): Promise<number | undefined> {
  const { rows } = await client.query<{ failing_since: Date | null }>(
    `select failing_since from svc.endpoints
       where account_id = $1 and mode = $2 and id = $3 and status = 'disabled' for update`,
    [accountId, mode, endpointId],
  );
  const [before] = rows;
  if (before === undefined) return undefined;
  await client.query(
    `update svc.endpoints set status = 'enabled', disabled_reason = null, failing_since = null, warned_at = null, updated_at = $4
       where account_id = $1 and mode = $2 and id = $3`,
    [accountId, mode, endpointId, isoTime(nowMs)],
  );
  const values = [accountId, mode, endpointId, isoTime(nowMs)];
  const parked = await client.query(
    `update svc.deliveries set next_at = $4, uncharged_count = attempt_count
       where status = 'pending' and endpoint_id = $3 and next_at = 'infinity' and account_id = $1 and mode = $2`,
    values,
  );
  const failed = await client.query(
    `update svc.deliveries
       set status = 'pending', next_at = $4, finished_at = null, reason = null, uncharged_count = attempt_count
       where account_id = $1 and mode = $2 and endpoint_id = $3 and status = 'failed' and finished_at >= $5`,
    [...values, isoTime(before.failing_since?.getTime() ?? nowMs)],
  );
  return (parked.rowCount ?? 0) + (failed.rowCount ?? 0);
}

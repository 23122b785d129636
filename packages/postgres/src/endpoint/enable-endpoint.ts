// Enables a disabled webhook endpoint. The deliveries that it missed become due now, with all their retries.
import { DELIVERY_STATUS, decideEnable, type EndpointFacts, type EndpointKey, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIs, sqlStatus } from '../database/status-sql.ts';
import { inQueueOrder } from './queue-order.ts';

/** Number of deliveries that become due; undefined when the endpoint does not exist or is not disabled. */
export const enableEndpoint = (pool: pg.Pool, endpoint: EndpointKey, nowMs: number): Promise<number | undefined> =>
  inTransaction(pool, (client) => enableWithin(client, endpoint, nowMs));

/** `enableEndpoint` within the caller's transaction. */
export async function enableWithin(
  client: pg.ClientBase,
  { accountId, mode, endpointId }: EndpointKey,
  nowMs: number,
): Promise<number | undefined> {
  const key = [accountId, mode, endpointId];
  const { rows } = await client.query<{ status: EndpointFacts['status']; failing_since: Date | null }>(
    `select status, failing_since from svc.endpoints where account_id = $1 and mode = $2 and id = $3 for update`,
    key,
  );
  const [before] = rows;
  const facts = before && { status: before.status, failingSinceMs: before.failing_since?.getTime() ?? null };
  const decision = facts && decideEnable(facts, nowMs);
  if (decision === undefined) return undefined;
  await client.query(
    `update svc.endpoints
       set status = $5, disabled_reason = $6, failing_since = $7, warned_at = null, updated_at = $4
       where account_id = $1 and mode = $2 and id = $3`,
    [...key, isoTime(nowMs), decision.status, decision.disabledReason, decision.failingSinceMs],
  );
  const values = [...key, isoTime(nowMs)];
  const parked = await client.query(
    `update svc.deliveries d set next_at = $4, uncharged_count = attempt_count
       where status ${sqlIs(DELIVERY_STATUS.pending)} and endpoint_id = $3 and ${inQueueOrder('d')} and next_at = 'infinity'
         and account_id = $1 and mode = $2`,
    values,
  );
  const missed = await client.query(
    `update svc.deliveries
       set status = ${sqlStatus(DELIVERY_STATUS.pending)}, next_at = $4, finished_at = null, reason = null, uncharged_count = attempt_count
       where account_id = $1 and mode = $2 and endpoint_id = $3 and status ${sqlIs(DELIVERY_STATUS.failed)} and finished_at >= $5`,
    [...values, isoTime(decision.missedSinceMs)],
  );
  return (parked.rowCount ?? 0) + (missed.rowCount ?? 0);
}

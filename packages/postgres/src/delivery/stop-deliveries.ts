// Takes due deliveries of an endpoint that gets no events out of the queue, as core decides: parked or discarded.
import { decideUnsendable, ENDPOINT_STATUS, type EndpointFacts, type EndpointKey, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { inQueueOrder, queueOrder } from '../endpoint/queue-order.ts';
import { isDue } from './is-due.ts';
import { nextAtOf } from './next-at.ts';

const AT_ONCE = 1_000;
const GIVEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  endpoint_id: 'text',
  now: 'timestamptz',
  status: 'text',
  next_at: 'timestamptz',
  finished_at: 'timestamptz',
  reason: 'text',
});
const { account_id, mode: inMode, endpoint_id, now, ...decided } = GIVEN.at;
// A delivery whose lease still runs is not due. The new fence shuts out a sender whose lease ran out.
const STOP = `
  with due as materialized (
    select account_id, mode, event_id, endpoint_id from svc.deliveries d
    where status = 'pending' and endpoint_id = ${endpoint_id} and ${inQueueOrder('d')} and ${isDue('d', now)}
      and account_id = ${account_id} and mode = ${inMode}
    order by ${queueOrder('d')} limit ${AT_ONCE} for update skip locked
  )
  update svc.deliveries d
  set status = ${decided.status}, next_at = ${decided.next_at}, finished_at = ${decided.finished_at},
    reason = ${decided.reason}, lease_until = null, fence = d.fence + 1
  from due
  where d.account_id = due.account_id and d.mode = due.mode and d.event_id = due.event_id
    and d.endpoint_id = due.endpoint_id`;

/** Returns how many were taken out of the queue. To be called again until it returns 0. */
export async function stopDeliveries(pool: pg.Pool, endpoint: EndpointKey, nowMs: number): Promise<number> {
  const { accountId, mode, endpointId } = endpoint;
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<Pick<EndpointFacts, 'status'>>(
      `select status from svc.endpoints where account_id = $1 and mode = $2 and id = $3 for no key update`,
      [accountId, mode, endpointId],
    );
    const status = rows[0]?.status;
    if (status === ENDPOINT_STATUS.enabled) return 0;
    const decision = decideUnsendable(status);
    const { rowCount } = await client.query(
      STOP,
      GIVEN.values({
        account_id: accountId,
        mode,
        endpoint_id: endpointId,
        now: isoTime(nowMs),
        status: decision.status,
        next_at: nextAtOf(decision),
        finished_at: decision.status === 'pending' ? null : isoTime(nowMs),
        reason: decision.reason,
      }),
    );
    return rowCount ?? 0;
  });
}

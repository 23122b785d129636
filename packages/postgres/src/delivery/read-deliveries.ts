import type { Caller } from '@svc-pay/core';
import type { Delivery, EventDetail } from '@svc-pay/protocol/merchant';
import type pg from 'pg';
import { type Page, pageOf } from '../database/page.ts';
import { type EmittedRow, emittedOf } from '../event/event-row.ts';
import { type AttemptRow, attemptOf, DELIVERY_COLUMNS, type DeliveryRow, deliveryOf } from './delivery-row.ts';

const STATUSES: readonly Delivery['status'][] = ['pending', 'succeeded', 'failed', 'discarded'];

/** Deliveries of one endpoint, newest event first. */
export async function listDeliveries(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  endpointId: string,
  { limit, before, status }: { limit: number; before: string | undefined; status: Delivery['status'] | undefined },
): Promise<Page<Delivery>> {
  // The index is ordered by status, then event: read one page per status and keep the newest rows.
  const { rows } = await pool.query<DeliveryRow>(
    `select page.* from unnest($4::text[]) as wanted (status)
     cross join lateral (
       select ${DELIVERY_COLUMNS} from svc.deliveries
       where account_id = $1 and mode = $2 and endpoint_id = $3 and deliveries.status = wanted.status
         and ($5::text is null or event_id < $5)
       order by event_id desc limit $6
     ) page
     order by page.event_id desc limit $6`,
    [accountId, mode, endpointId, status === undefined ? STATUSES : [status], before ?? null, limit + 1],
  );
  return pageOf(rows, limit, deliveryOf);
}

/** The event with its deliveries and all of their attempts that are still stored. */
export async function loadEvent(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  eventId: string,
): Promise<EventDetail | undefined> {
  const values = [accountId, mode, eventId];
  const { rows } = await pool.query<EmittedRow>(
    `select id, type, intent_id, payment_id, sequence, created_at, body from svc.events
     where account_id = $1 and mode = $2 and id = $3`,
    values,
  );
  const [event] = rows;
  if (event === undefined) return undefined;
  const deliveries = await pool.query<DeliveryRow>(
    `select ${DELIVERY_COLUMNS} from svc.deliveries where account_id = $1 and mode = $2 and event_id = $3
     order by endpoint_id`,
    values,
  );
  const attempts = await pool.query<AttemptRow>(
    `select * from svc.delivery_attempts where account_id = $1 and mode = $2 and event_id = $3
     order by endpoint_id, attempt`,
    values,
  );
  const byEndpoint = Map.groupBy(attempts.rows, ({ endpoint_id }) => endpoint_id);
  return {
    ...emittedOf(event, deliveries.rows.filter(({ status }) => status === 'pending').length),
    deliveries: deliveries.rows.map((row) => ({
      ...deliveryOf(row),
      attempts: (byEndpoint.get(row.endpoint_id) ?? []).map(attemptOf),
    })),
  };
}

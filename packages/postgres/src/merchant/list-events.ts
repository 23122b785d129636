// Events, newest first, by whatever a merchant looks for. Each way to ask is the read of an index: what names few events
// (an intent, a payment) is read whole and then narrowed; what names many is read in its order until the page is full.
import type { Caller } from '@svc-pay/core';
import type { EventType } from '@svc-pay/protocol';
import { idBound } from '@svc-pay/protocol/ids';
import type { EventSummary } from '@svc-pay/protocol/merchant';
import type pg from 'pg';
import { type EventRow, summaryOf } from './event-row.ts';
import { type Page, pageOf } from './page.ts';

export type EventFilter = {
  readonly limit: number;
  /** Id of the last event of the page before. */
  readonly before: string | undefined;
  readonly type: EventType | undefined;
  readonly intentId: string | undefined;
  readonly paymentId: string | undefined;
  /** From this time on. */
  readonly createdAfterMs: number | undefined;
  /** Earlier than this time. */
  readonly createdBeforeMs: number | undefined;
  readonly undelivered: boolean;
};

/** Behind every event id. */
const LAST = 'evt_~';
const OWN = 'account_id = $1 and mode = $2';
const IN_RANGE = 'id < $3 and id >= $4';
const OF_TYPE = '($6::text is null or type = $6)';

// In the order of its key, so that it is read by its key: a planner without figures takes any index that begins with the
// account. An event has no more deliveries than there are endpoints, the deleted ones included.
function deliveriesOf(eventId: string): string {
  return `select status from svc.deliveries
    where account_id = $1 and mode = $2 and event_id >= ${eventId} and event_id <= ${eventId}
    order by event_id, endpoint_id limit 1000`;
}

const NAMED = (column: 'intent_id' | 'payment_id', place: '$7' | '$8') => `
  select id from (
    with named as materialized (
      select id, type, intent_id, payment_id from svc.events
      where ${OWN} and ${column} >= ${place} and ${column} <= ${place}
      order by ${column}, ${column === 'intent_id' ? 'sequence' : 'id'} limit 1000
    )
    select id from named
    where ${IN_RANGE} and ${OF_TYPE} and ($7::text is null or intent_id = $7) and ($8::text is null or payment_id = $8)
      and (not $9 or 0 < (
        select count(*) from (${deliveriesOf('named.id')}) d where d.status in ('pending', 'failed')
      ))
  ) found order by id desc limit $5`;
const ALL = `select id from svc.events where ${OWN} and ${IN_RANGE} order by id desc limit $5`;
const BY_TYPE = `select id from svc.events where ${OWN} and type = $6 and ${IN_RANGE} order by id desc limit $5`;
// A few of each endpoint are enough: the page is among them.
const UNDELIVERED = `
  select distinct waiting.event_id as id from svc.endpoints endpoint
  cross join (values ('pending'), ('failed')) as wanted (status)
  cross join lateral (
    select d.event_id from svc.deliveries d
    where d.account_id = $1 and d.mode = $2 and d.endpoint_id = endpoint.id and d.status = wanted.status
      and d.event_id < $3 and d.event_id >= $4
      -- A value and not a join: a planner that joins reads every event of the type.
      and ($6::text is null or $6 = (
        select e.type from svc.events e
        where e.account_id = $1 and e.mode = $2 and e.id >= d.event_id and e.id <= d.event_id order by e.id limit 1
      ))
    order by d.event_id desc limit $5
  ) waiting
  where endpoint.account_id = $1 and endpoint.mode = $2 and endpoint.status <> 'deleted'
  order by id desc limit $5`;

function idsOf({ intentId, paymentId, undelivered, type }: EventFilter): string {
  if (paymentId !== undefined) return NAMED('payment_id', '$8');
  if (intentId !== undefined) return NAMED('intent_id', '$7');
  if (undelivered) return UNDELIVERED;
  return type === undefined ? ALL : BY_TYPE;
}

export async function listEvents(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  filter: EventFilter,
): Promise<Page<EventSummary>> {
  const { limit, before, createdAfterMs, createdBeforeMs } = filter;
  const ends = [before ?? LAST, createdBeforeMs === undefined ? LAST : idBound('event', createdBeforeMs)];
  const { rows } = await pool.query<EventRow>(eventsQuery(idsOf(filter)), [
    accountId,
    mode,
    ends.sort()[0],
    createdAfterMs === undefined ? '' : idBound('event', createdAfterMs),
    limit + 1,
    filter.type ?? null,
    filter.intentId ?? null,
    filter.paymentId ?? null,
    filter.undelivered,
  ]);
  return pageOf(rows, limit, summaryOf);
}

/** All parameters have a type, whether or not this way of asking uses them. */
function eventsQuery(ids: string): string {
  return `
    with given as (select $6::text, $7::text, $8::text, $9::boolean),
    page as materialized (${ids})
    select event.id, event.type, event.intent_id, event.payment_id, event.sequence, event.created_at, event.body,
      counts.pending, counts.succeeded, counts.failed, counts.discarded
    from page
    cross join lateral (
      select * from svc.events e where e.account_id = $1 and e.mode = $2 and e.id >= page.id and e.id <= page.id
      order by e.id limit 1
    ) event
    cross join lateral (
      select count(*) filter (where d.status = 'pending')::integer as pending,
        count(*) filter (where d.status = 'succeeded')::integer as succeeded,
        count(*) filter (where d.status = 'failed')::integer as failed,
        count(*) filter (where d.status = 'discarded')::integer as discarded
      from (${deliveriesOf('page.id')}) d
    ) counts
    order by event.id desc`;
}

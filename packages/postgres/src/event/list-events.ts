// Lists events by filter, newest first. Each filter reads an index: events of one intent are few, so all are read and then
// filtered, also for one of its payments; for the other filters the index is read in order until the page is full. Every
// intent has one `payment_intent.created`: these are dense among an account's events, and are found by walking its key.
import { type Caller, DELIVERY_STATUS, ENDPOINT_STATUS, UNDELIVERED } from '@svc-pay/core';
import type { EventType } from '@svc-pay/protocol';
import { type Id, idBound, timeOfId } from '@svc-pay/protocol/ids';
import type { EventSummary } from '@svc-pay/protocol/merchant';
import type pg from 'pg';
import { type Page, pageOf } from '../database/page.ts';
import { equalInKeyOrder, ONE_BY_KEY, withoutIndex } from '../database/planner.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { sqlIs, sqlIsNot, sqlStatus } from '../database/status-sql.ts';
import { type EventRow, summaryOf } from './event-row.ts';

export type EventFilter = {
  readonly limit: number;
  /** Id of the last event of the previous page. */
  readonly before: string | undefined;
  readonly type: EventType | undefined;
  readonly intentId: string | undefined;
  readonly paymentId: Id<'payment'> | undefined;
  /** Inclusive. */
  readonly createdAfterMs: number | undefined;
  /** Exclusive. */
  readonly createdBeforeMs: number | undefined;
  readonly undelivered: boolean;
};

/** Sorts after every event id. */
const LAST = 'evt_~';

const GIVEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  before_id: 'text',
  from_id: 'text',
  limit: 'integer',
  type: 'text',
  intent_id: 'text',
  payment_id: 'text',
  undelivered: 'boolean',
  drafted_from: 'text',
  drafted_to: 'text',
});
const { at } = GIVEN;
const own = (row: string) => `${row}.account_id = ${at.account_id} and ${row}.mode = ${at.mode}`;
const IN_RANGE = `id < ${at.before_id} and id >= ${at.from_id}`;
const OF_TYPE = `(${at.type} is null or type = ${at.type})`;

// An event has at most one delivery per endpoint, deleted endpoints included.
function deliveriesOf(eventId: string): string {
  return `select status from svc.deliveries d
    where ${own('d')} and ${equalInKeyOrder('d.event_id', eventId)}
    order by d.event_id, d.endpoint_id limit 1000`;
}

const namedBy = (intentId: string) => `
  select id from (
    with named as materialized (
      select id, type, payment_id from svc.events e
      where ${own('e')} and ${equalInKeyOrder('intent_id', intentId)}
      order by intent_id, sequence limit 1000
    )
    select id from named
    where ${IN_RANGE} and ${OF_TYPE} and (${at.payment_id} is null or payment_id = ${at.payment_id})
      and (not ${at.undelivered} or 0 < (
        select count(*) from (${deliveriesOf('named.id')}) d where d.status ${sqlIs(...UNDELIVERED)}
      ))
  ) found order by id desc limit ${at.limit}`;
const OF_INTENT = namedBy(at.intent_id);
// A sample's payment is in no table: its event was drafted in the millisecond of the payment's id.
const OF_PAYMENT = namedBy(`(
  select intent_id from (
    select coalesce(
      (select intent_id from svc.payments p where ${own('p')} and p.id = ${at.payment_id} ${ONE_BY_KEY}),
      (
        select intent_id from svc.events e
        where ${own('e')} and e.id >= ${at.drafted_from} and e.id < ${at.drafted_to} and payment_id = ${at.payment_id}
        order by e.id limit 1
      )
    ) as intent_id
  ) paid where ${at.intent_id} is null or intent_id = ${at.intent_id}
)`);
const ALL = `select id from svc.events e where ${own('e')} and ${IN_RANGE} order by id desc limit ${at.limit}`;
/** Of every intent, and in no index by type. */
const DENSE_TYPE: EventType = 'payment_intent.created';
const typeText = (condition: string) => `
  select id from svc.events e where ${own('e')} and ${condition} and ${IN_RANGE} order by id desc limit ${at.limit}`;
const BY_DENSE_TYPE = typeText(`${withoutIndex('type')} = ${at.type}`);
const BY_TYPE = typeText(`type = ${at.type} and type <> '${DENSE_TYPE}'`);
// Reads one page per endpoint and status: the result is among those rows. The type is a scalar query:
// docs/internals/planner-rules.md, rule 6.
const OF_ENDPOINTS = `
  select distinct waiting.event_id as id from svc.endpoints endpoint
  cross join (values ${UNDELIVERED.map((status) => `(${sqlStatus(status)})`).join(', ')}) as wanted (status)
  cross join lateral (
    select d.event_id from svc.deliveries d
    where ${own('d')} and d.endpoint_id = endpoint.id and d.status = wanted.status
      and d.event_id < ${at.before_id} and d.event_id >= ${at.from_id}
      and (${at.type} is null or ${at.type} = (
        select e.type from svc.events e where ${own('e')} and ${equalInKeyOrder('e.id', 'd.event_id')} order by e.id limit 1
      ))
    order by d.event_id desc limit ${at.limit}
  ) waiting
  where ${own('endpoint')} and endpoint.status ${sqlIsNot(ENDPOINT_STATUS.deleted)}
  order by id desc limit ${at.limit}`;

function idsOf({ intentId, paymentId, undelivered, type }: EventFilter): string {
  if (paymentId !== undefined) return OF_PAYMENT;
  if (intentId !== undefined) return OF_INTENT;
  if (undelivered) return OF_ENDPOINTS;
  if (type === undefined) return ALL;
  return type === DENSE_TYPE ? BY_DENSE_TYPE : BY_TYPE;
}

export async function listEvents(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  filter: EventFilter,
): Promise<Page<EventSummary>> {
  const { limit, before, createdAfterMs, createdBeforeMs } = filter;
  const ends = [before ?? LAST, createdBeforeMs === undefined ? LAST : idBound('event', createdBeforeMs)];
  const [firstEnd = LAST] = ends.sort();
  const paidMs = filter.paymentId === undefined ? 0 : timeOfId(filter.paymentId);
  const { rows } = await pool.query<EventRow>(
    eventsQuery(idsOf(filter)),
    GIVEN.values({
      account_id: accountId,
      mode,
      before_id: firstEnd,
      from_id: createdAfterMs === undefined ? '' : idBound('event', createdAfterMs),
      limit: limit + 1,
      type: filter.type ?? null,
      intent_id: filter.intentId ?? null,
      payment_id: filter.paymentId ?? null,
      undelivered: filter.undelivered,
      drafted_from: idBound('event', paidMs),
      drafted_to: idBound('event', paidMs + 1),
    }),
  );
  return pageOf(rows, limit, summaryOf);
}

const COUNTS = Object.values(DELIVERY_STATUS)
  .map((status) => `count(*) filter (where d.status ${sqlIs(status)})::integer as ${status}`)
  .join(', ');

/** `given` gives every parameter a type, also those that a filter does not use. */
function eventsQuery(ids: string): string {
  return `
    with given as (
      select ${at.type}, ${at.intent_id}, ${at.payment_id}, ${at.undelivered}, ${at.drafted_from}, ${at.drafted_to}
    ),
    page as materialized (${ids})
    select event.id, event.type, event.intent_id, event.payment_id, event.sequence, event.created_at, event.body,
      counts.pending, counts.succeeded, counts.failed, counts.discarded
    from page
    cross join lateral (
      select * from svc.events e where ${own('e')} and ${equalInKeyOrder('e.id', 'page.id')}
      order by e.id limit 1
    ) event
    cross join lateral (
      select ${COUNTS}
      from (${deliveriesOf('page.id')}) d
    ) counts
    order by event.id desc`;
}

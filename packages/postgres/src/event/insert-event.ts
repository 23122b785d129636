// Every event is inserted here, together with its deliveries. The event's body contains the number of endpoints it goes
// to, which is known only within the statement.
import { DELIVERY_STATUS, FIRST_EVENT_TYPES } from '@svc-pay/core';
import { type Expressions, insertText } from '../database/insert-text.ts';
import { sqlStatus } from '../database/status-sql.ts';

/** SQL expression of each value: a column name if the insert reads rows, a placeholder if it writes one row. */
export type NewEvent = {
  readonly account_id: string;
  readonly mode: string;
  readonly id: string;
  readonly type: string;
  readonly intent_id: string;
  readonly payment_id: string;
  readonly sequence: string;
  readonly api_version: string;
  readonly request_id: string;
  readonly created_at: string;
  /** The body before and after the number of endpoints. */
  readonly body_before: string;
  readonly body_after: string;
};

export type Receivers = {
  /** SQL for the number of endpoints that one event goes to. */
  readonly count: string;
  /** SQL after `from`, with one row per delivery. `endpoint_id` is an expression over it. */
  readonly from: string;
  readonly endpoint_id: string;
};

/**
 * Returns two CTEs, `written_event` and `written_delivery`. `from` names the rows of events; without it one is written.
 */
export function insertEvent(event: NewEvent, receivers: Receivers, from?: string): string {
  const { body_before, body_after, ...columns } = event;
  const body = `convert_to(${body_before} || ${receivers.count} || ${body_after}, 'UTF8')`;
  const deliveries = insertDeliveries(
    {
      account_id: event.account_id,
      mode: event.mode,
      event_id: event.id,
      endpoint_id: receivers.endpoint_id,
      now: event.created_at,
      goes_first: sqlGoesFirst(event.type),
    },
    receivers.from,
  );
  return `
    written_event as (
      ${insertText('svc.events', { ...columns, body }, from === undefined ? '' : `from ${from}`)}
    ),
    written_delivery as (
      ${deliveries}
    )`;
}

/** SQL for whether deliveries of an event of this type go first. */
export const sqlGoesFirst = (type: string): string =>
  `${type} in (${FIRST_EVENT_TYPES.map((first) => `'${first}'`).join(', ')})`;

/** Inserts deliveries that are due now, one for each row of `from`. */
export function insertDeliveries(
  delivery: Readonly<Record<'account_id' | 'mode' | 'event_id' | 'endpoint_id' | 'now' | 'goes_first', string>>,
  from: string,
): string {
  const columns: Expressions = {
    account_id: delivery.account_id,
    mode: delivery.mode,
    event_id: delivery.event_id,
    endpoint_id: delivery.endpoint_id,
    status: sqlStatus(DELIVERY_STATUS.pending),
    next_at: delivery.now,
    created_at: delivery.now,
    goes_first: delivery.goes_first,
  };
  return insertText('svc.deliveries', columns, `from ${from}`);
}
